//! In which order to eliminate the unknowns of a sparse symmetric system so that few new entries appear.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::run::Pace;

/// What a factorization may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub multiplications: u64,
    /// Numbers that are kept.
    pub entries: u64,
    /// At neighbours and cliques, to find the order.
    pub looks: u64,
}

/// Factorizing is worth so many multiplications per edge: about the time of a few hundred steps of iterations …
const MULTIPLICATIONS_PER_EDGE: u64 = 20_000;
/// … so much memory …
const ENTRIES_PER_EDGE: u64 = 32;
/// … and this many multiplications in any case.
const MULTIPLICATIONS: u64 = 1_000_000;
/// Grids of two and three dimensions take 6 to 11 looks per pair of neighbours. Where neighbours lie all over the graph it takes a hundred
/// and more, each a wait for the memory, and iterations converge fast.
const LOOKS_PER_EDGE: u64 = 16;

impl Limit {
    /// Where iterations over so many edges would do as well.
    pub fn beside_iterations(edges: usize) -> Self {
        let edges = edges as u64;
        Limit {
            multiplications: MULTIPLICATIONS + MULTIPLICATIONS_PER_EDGE * edges,
            entries: MULTIPLICATIONS + ENTRIES_PER_EDGE * edges,
            looks: MULTIPLICATIONS + LOOKS_PER_EDGE * edges,
        }
    }
}

/// An order by approximate minimum degree of n unknowns, or `None` as soon as the factorization would take more than the
/// limit, or finding the order as long. `pairs` are the unknowns that share an entry, each pair once; `late[i]`
/// says that i comes after all that are not late and have a part in what it is made of.
///
/// Eliminating an unknown joins its neighbours all to all. That *clique* is kept as one list (an element) instead of many pairs,
/// so the memory never exceeds that of the matrix. The unknown that is taken next has the least degree, counted as the sizes of
/// its cliques outside the newest one plus its neighbours outside them: an upper bound of the true number that needs no sets. Ties
/// go to the smaller number, so the order depends on the graph alone. Trees and chains get no new entries at all, grids of n states
/// O(n log n).
///
/// Unknowns that have come to have the same neighbours and cliques stay the same from then on: one of them stands for all, and they are
/// eliminated one after the other. In a grid that leaves a small part of what there is to look at.
///
/// Unknowns with very many neighbours, the hubs, come last of all and are left out of the count: looking through their cliques once
/// for each of their neighbours would take neighbours² steps. Each costs every other unknown one entry at most, and is counted so.
///
/// What is made of an unknown comes right after it where nothing else is waited for ([`Eliminated::in_order`]): the columns of the
/// factor that share their rows are neighbours.
pub(crate) fn minimum_degree(pairs: &[(u32, u32)], late: &[bool], limit: Limit) -> Option<Vec<u32>> {
    counted(pairs, late, limit).map(|(order, _)| order)
}

/// As [`minimum_degree`], with the number of neighbours and cliques that were looked at.
// One loop over unknowns with a dozen arrays that every part of it reads and changes.
fn counted(pairs: &[(u32, u32)], late: &[bool], limit: Limit) -> Option<(Vec<u32>, u64)> {
    let n = late.len();
    let mut degree = vec![0u32; n];
    pairs.iter().for_each(|&(a, b)| [a, b].iter().for_each(|&i| degree[i as usize] += 1));
    let many = MANY.max(10 * n.isqrt());
    let is_hub: Vec<bool> = degree.iter().map(|&neighbours| neighbours as usize > many).collect();
    let hubs: Vec<u32> = (0..n as u32).filter(|&i| is_hub[i as usize]).collect();
    let last = hubs.len() as u64;
    let mut plain = Neighbours::new(n, pairs.iter().filter(|(a, b)| !is_hub[*a as usize] && !is_hub[*b as usize]));
    // By unknown that is still there: the cliques it belongs to, named by the unknown that made them. By one that is gone: the members
    // of the clique it made, and how many unknowns these stand for.
    let mut cliques: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut size = vec![0u32; n];
    (0..n).for_each(|i| degree[i] = plain.of(i).len() as u32);
    // Eliminated, or another one stands for it.
    let mut gone = vec![false; n];
    let mut absorbed = vec![false; n];
    let mut eliminated = Eliminated::new(n);
    // Stamps instead of sets: what was seen, or counted, during the elimination of the unknown numbered by `round`.
    let mut seen = vec![u32::MAX; n];
    let mut measured = vec![u32::MAX; n];
    let mut outside = vec![0u32; n];
    let mut alike: Vec<(u64, u32)> = Vec::new();
    let mut queue: BinaryHeap<Reverse<(bool, u32, u32)>> =
        (0..n).filter(|&i| !is_hub[i]).map(|i| Reverse((late[i], degree[i], i as u32))).collect();
    let mut remaining = n as u32;
    let mut round = 0;
    let mut work = last * (last + 1).pow(2);
    let mut entries = last * last;
    let mut looked = 0u64;
    let mut pace = Pace::default();
    while let Some(Reverse((_, expected, next))) = queue.pop() {
        let p = next as usize;
        if gone[p] || expected != degree[p] {
            continue;
        }
        gone[p] = true;
        round += 1;
        // The clique that the elimination makes.
        let mut clique = Vec::new();
        let mut add = |list: &[u32]| {
            for &i in list {
                if !gone[i as usize] && seen[i as usize] != round {
                    seen[i as usize] = round;
                    clique.push(i);
                }
            }
        };
        add(plain.of(p));
        for e in std::mem::take(&mut cliques[p]) {
            add(&std::mem::take(&mut cliques[e as usize]));
            if !std::mem::replace(&mut absorbed[e as usize], true) {
                eliminated.needs(next, e);
            }
        }
        let others: u32 = clique.iter().map(|&i| eliminated.weight[i as usize]).sum();
        let own = eliminated.weight[p];
        remaining -= own;
        eliminated.add(next);
        for k in 0..u64::from(own) {
            let entries_of_one = u64::from(others) + last + k;
            work += (entries_of_one + 1).pow(2);
            entries += entries_of_one;
        }
        // Lists and cliques of the members are gone through, too: some ten steps each.
        pace.spend(16 * (clique.len() + 1));
        if work > limit.multiplications || entries > limit.entries || looked > limit.looks {
            return None;
        }
        // How much of every other clique lies outside the new one.
        for &i in &clique {
            let mut of_member = std::mem::take(&mut cliques[i as usize]);
            of_member.retain(|&e| !absorbed[e as usize]);
            for &e in &of_member {
                let e = e as usize;
                if measured[e] != round {
                    measured[e] = round;
                    outside[e] = size[e];
                }
                outside[e] -= eliminated.weight[i as usize];
            }
            cliques[i as usize] = of_member;
        }
        alike.clear();
        for &member in &clique {
            let i = member as usize;
            let weight = eliminated.weight[i];
            looked += (plain.of(i).len() + cliques[i].len()) as u64;
            // Neighbours within the new clique need not be listed any more, nor cliques that lie within it.
            let mut bound = others - weight;
            let mut sum = 0u64;
            plain.retain(i, |j| {
                let stays = !gone[j as usize] && seen[j as usize] != round;
                if stays {
                    bound = bound.saturating_add(eliminated.weight[j as usize]);
                    sum = sum.wrapping_add(scatter(j));
                }
                stays
            });
            cliques[i].retain(|&e| {
                if absorbed[e as usize] {
                    return false;
                }
                if outside[e as usize] == 0 {
                    absorbed[e as usize] = true;
                    eliminated.needs(next, e);
                    return false;
                }
                // A sum of parts that overlap may be large; the number of unknowns is known to be larger.
                bound = bound.saturating_add(outside[e as usize]);
                sum = sum.wrapping_add(scatter(!e));
                true
            });
            cliques[i].push(next);
            degree[i] = bound.min(remaining - weight).min(degree[i].saturating_add(others - weight));
            alike.push((sum, member));
        }
        alike.sort_unstable();
        for same in alike.chunk_by(|a, b| a.0 == b.0) {
            let first = same[0].1;
            for &(_, other) in &same[1..] {
                let (i, j) = (first as usize, other as usize);
                if late[i] == late[j] && plain.same(i, j) && same_lists(&mut cliques, i, j) {
                    // Each counted the other.
                    degree[i] -= eliminated.weight[j];
                    gone[j] = true;
                    cliques[j] = Vec::new();
                    eliminated.joins(first, other);
                }
            }
        }
        clique.retain(|&i| !gone[i as usize]);
        queue.extend(clique.iter().map(|&i| Reverse((late[i as usize], degree[i as usize], i))));
        size[p] = others;
        cliques[p] = clique;
    }
    let mut order = eliminated.in_order(&size);
    order.extend(hubs);
    Some((order, looked))
}

/// A number for a set, by its sum over the members: sets with the same number are hardly ever different.
fn scatter(member: u32) -> u64 {
    let mixed = (u64::from(member) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

fn same_lists(lists: &mut [Vec<u32>], i: usize, j: usize) -> bool {
    lists[i].len() == lists[j].len() && {
        lists[i].sort_unstable();
        lists[j].sort_unstable();
        lists[i] == lists[j]
    }
}

const NONE: u32 = u32::MAX;

/// What was eliminated, one of several that are alike for all of them, as a forest: below an unknown stand those whose cliques went into
/// its own.
struct Eliminated {
    /// How many unknowns it stands for; 0 when another stands for it.
    weight: Vec<u32>,
    /// The next that the same one stands for, and the last of those.
    alike: Vec<u32>,
    last_alike: Vec<u32>,
    above: Vec<u32>,
    sequence: Vec<u32>,
}

impl Eliminated {
    fn new(n: usize) -> Self {
        let last_alike = (0..n as u32).collect();
        Eliminated { weight: vec![1; n], alike: vec![NONE; n], last_alike, above: vec![NONE; n], sequence: Vec::new() }
    }

    fn joins(&mut self, first: u32, other: u32) {
        let (i, j) = (first as usize, other as usize);
        self.weight[i] += std::mem::take(&mut self.weight[j]);
        self.alike[self.last_alike[i] as usize] = other;
        self.last_alike[i] = self.last_alike[j];
    }

    fn needs(&mut self, above: u32, below: u32) {
        self.above[below as usize] = above;
    }

    fn add(&mut self, next: u32) {
        self.sequence.push(next);
    }

    /// All unknowns, each after those below it and right after the last of them: the one with the largest clique (of `size`).
    /// The entries of the factor are those of the sequence of elimination, since nothing changes places that shares one.
    fn in_order(&self, size: &[u32]) -> Vec<u32> {
        // Lists of those below: of all that have none above, and of every unknown.
        let n = self.above.len();
        let mut below = vec![NONE; n + 1];
        let mut beside = vec![NONE; n];
        let mut by_size = self.sequence.clone();
        by_size.sort_by_key(|&i| size[i as usize]);
        for i in by_size.into_iter().rev() {
            let above = self.above[i as usize];
            let list = &mut below[if above == NONE { n } else { above as usize }];
            beside[i as usize] = std::mem::replace(list, i);
        }
        let mut order = Vec::with_capacity(n);
        let mut path = Vec::new();
        let mut at = below[n];
        loop {
            while at != NONE {
                path.push(at);
                at = below[at as usize];
            }
            let Some(done) = path.pop() else { return order };
            let mut alike = done;
            while alike != NONE {
                order.push(alike);
                alike = self.alike[alike as usize];
            }
            at = beside[done as usize];
        }
    }
}

/// Lists of neighbours, which only get shorter, side by side.
struct Neighbours {
    start: Vec<usize>,
    len: Vec<u32>,
    all: Vec<u32>,
}

impl Neighbours {
    fn new<'a>(n: usize, pairs: impl Iterator<Item = &'a (u32, u32)> + Clone) -> Self {
        let both = || pairs.clone().flat_map(|&(a, b)| [(a as usize, b), (b as usize, a)]);
        let mut start = vec![0; n + 1];
        both().for_each(|(i, _)| start[i + 1] += 1);
        (0..n).for_each(|i| start[i + 1] += start[i]);
        let mut len = vec![0u32; n];
        let mut all = vec![0; start[n]];
        for (i, j) in both() {
            all[start[i] + len[i] as usize] = j;
            len[i] += 1;
        }
        Neighbours { start, len, all }
    }

    fn of(&self, i: usize) -> &[u32] {
        &self.all[self.start[i]..][..self.len[i] as usize]
    }

    fn retain(&mut self, i: usize, mut keep: impl FnMut(u32) -> bool) {
        let list = &mut self.all[self.start[i]..][..self.len[i] as usize];
        let mut kept = 0;
        for at in 0..list.len() {
            if keep(list[at]) {
                list[kept] = list[at];
                kept += 1;
            }
        }
        self.len[i] = kept as u32;
    }

    fn same(&mut self, i: usize, j: usize) -> bool {
        self.len[i] == self.len[j] && {
            for k in [i, j] {
                self.all[self.start[k]..][..self.len[k] as usize].sort_unstable();
            }
            self.of(i) == self.of(j)
        }
    }
}

/// No fewer neighbours than this make a hub, nor fewer than ten times the root of the number of unknowns.
const MANY: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const UNLIMITED: Limit = Limit { multiplications: u64::MAX, entries: u64::MAX, looks: u64::MAX };

    /// Each pair once, whatever its order.
    fn once(pairs: &[(usize, usize)]) -> Vec<(u32, u32)> {
        let ordered = pairs.iter().filter(|(a, b)| a != b).map(|&(a, b)| (a.min(b) as u32, a.max(b) as u32));
        ordered.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The multiplications of an order, counted on explicit sets.
    fn work(n: usize, pairs: &[(usize, usize)], order: &[u32]) -> u64 {
        let mut sets: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); n];
        for (a, b) in once(pairs) {
            sets[a as usize].insert(b);
            sets[b as usize].insert(a);
        }
        let mut total = 0;
        for &p in order {
            let clique = std::mem::take(&mut sets[p as usize]);
            total += (clique.len() as u64 + 1).pow(2);
            for &i in &clique {
                sets[i as usize].extend(clique.iter().copied().filter(|&j| j != i));
                sets[i as usize].remove(&p);
            }
        }
        total
    }

    proptest! {
        #[test]
        fn every_unknown_comes_once_and_the_work_is_counted(
            pairs in prop::collection::vec((0..17usize, 0..17usize), 0..60),
        ) {
            let order = minimum_degree(&once(&pairs), &[false; 17], UNLIMITED).unwrap();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..17).collect::<Vec<u32>>());
            let work = work(17, &pairs, &order);
            let found = |multiplications: u64| {
                minimum_degree(&once(&pairs), &[false; 17], Limit { multiplications, ..UNLIMITED }).is_some()
            };
            prop_assert!(found(work) && !found(work - 1));
        }
    }

    #[test]
    fn hubs_come_last_and_are_not_looked_through() {
        let n = 4000;
        let star: Vec<(usize, usize)> = (1..n).map(|leaf| (0, leaf)).collect();
        let resets: Vec<(usize, usize)> = star.iter().copied().chain((1..n - 1).map(|x| (x, x + 1))).collect();
        for pairs in [star, resets] {
            let (order, looked) = counted(&once(&pairs), &vec![false; n], UNLIMITED).unwrap();
            assert_eq!(order.last(), Some(&0));
            assert!(looked <= 8 * n as u64, "{looked} steps");
            assert!(work(n, &pairs, &order) <= 16 * n as u64);
        }
    }

    #[test]
    fn trees_get_no_new_entries_and_grids_few() {
        let n = 1000;
        let tree: Vec<(usize, usize)> = (1..n).map(|i| (i, (i * 7919) % i)).collect();
        let order = minimum_degree(&once(&tree), &vec![false; n], UNLIMITED).unwrap();
        assert_eq!(work(n, &tree, &order), 4 * (n as u64 - 1) + 1);
        let side = 30;
        let at = |x: usize, y: usize| y * side + x;
        let grid: Vec<(usize, usize)> = (0..side)
            .flat_map(|x| (0..side - 1).flat_map(move |y| [(at(x, y), at(x, y + 1)), (at(y, x), at(y + 1, x))]))
            .collect();
        let order = minimum_degree(&once(&grid), &vec![false; side * side], UNLIMITED).unwrap();
        let natural: Vec<u32> = (0..(side * side) as u32).collect();
        assert!(3 * work(side * side, &grid, &order) < work(side * side, &grid, &natural));
    }
}
