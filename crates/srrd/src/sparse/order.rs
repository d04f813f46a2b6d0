//! In which order to eliminate the unknowns of a sparse symmetric system so that few new entries appear.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::run::Pace;

/// An order by approximate minimum degree of n unknowns, or `None` as soon as the factorization would take more than `limit`
/// multiplications, or finding the order as many steps. `pairs` are the unknowns that share an entry, each pair once; `late[i]`
/// says that i comes after all that are not late.
///
/// Eliminating an unknown joins its neighbours all to all. That *clique* is kept as one list (an element) instead of many pairs,
/// so the memory never exceeds that of the matrix. The unknown that is taken next has the least degree, counted as the sizes of
/// its cliques outside the newest one plus its neighbours outside them: an upper bound of the true number that needs no sets. Ties
/// go to the smaller number, so the order depends on the graph alone. Trees and chains get no new entries at all, grids of n states
/// O(n log n).
///
/// Unknowns with very many neighbours, the hubs, come last of all and are left out of the count: looking through their cliques once
/// for each of their neighbours would take neighbours² steps. Each costs every other unknown one entry at most, and is counted so.
pub(crate) fn minimum_degree(pairs: &[(u32, u32)], late: &[bool], limit: u64) -> Option<Vec<u32>> {
    counted(pairs, late, limit).map(|(order, _)| order)
}

/// As [`minimum_degree`], with the number of neighbours and cliques that were looked at.
// One loop over unknowns with a dozen arrays that every part of it reads and changes.
fn counted(pairs: &[(u32, u32)], late: &[bool], limit: u64) -> Option<(Vec<u32>, u64)> {
    let n = late.len();
    let mut degree = vec![0u32; n];
    pairs.iter().for_each(|&(a, b)| [a, b].iter().for_each(|&i| degree[i as usize] += 1));
    let many = MANY.max(10 * n.isqrt());
    let is_hub: Vec<bool> = degree.iter().map(|&neighbours| neighbours as usize > many).collect();
    let hubs: Vec<u32> = (0..n as u32).filter(|&i| is_hub[i as usize]).collect();
    let last = hubs.len() as u64;
    let mut plain = Neighbours::new(n, pairs.iter().filter(|(a, b)| !is_hub[*a as usize] && !is_hub[*b as usize]));
    // By unknown that is still there: the cliques it belongs to, named by the unknown that made them. By one that is gone: the members
    // of the clique it made.
    let mut cliques: Vec<Vec<u32>> = vec![Vec::new(); n];
    (0..n).for_each(|i| degree[i] = plain.of(i).len() as u32);
    let mut gone = vec![false; n];
    let mut absorbed = vec![false; n];
    // Stamps instead of sets: what was seen, or counted, during the elimination of the unknown numbered by `round`.
    let mut seen = vec![u32::MAX; n];
    let mut measured = vec![u32::MAX; n];
    let mut outside = vec![0u32; n];
    let mut queue: BinaryHeap<Reverse<(bool, u32, u32)>> =
        (0..n).filter(|&i| !is_hub[i]).map(|i| Reverse((late[i], degree[i], i as u32))).collect();
    let mut order = Vec::with_capacity(n);
    let mut work = last * (last + 1).pow(2);
    let mut looked = 0u64;
    let mut pace = Pace::default();
    while let Some(Reverse((_, expected, next))) = queue.pop() {
        let p = next as usize;
        if gone[p] || expected != degree[p] {
            continue;
        }
        gone[p] = true;
        let round = order.len() as u32;
        order.push(next);
        // The clique that the elimination makes.
        seen[p] = round;
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
            absorbed[e as usize] = true;
        }
        let others = clique.len() as u32;
        work += (u64::from(others) + last + 1).pow(2);
        // Lists and cliques of the members are gone through, too: some ten steps each.
        pace.spend(16 * (clique.len() + 1));
        if work.max(looked) > limit {
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
                    outside[e] = cliques[e].len() as u32;
                }
                outside[e] -= 1;
            }
            cliques[i as usize] = of_member;
        }
        for &member in &clique {
            let i = member as usize;
            looked += (plain.of(i).len() + cliques[i].len()) as u64;
            // Neighbours within the new clique need not be listed any more, nor cliques that lie within it.
            plain.retain(i, |j| !gone[j as usize] && seen[j as usize] != round);
            let mut bound = plain.of(i).len() as u32 + others - 1;
            cliques[i].retain(|&e| {
                let e = e as usize;
                // A sum of parts that overlap may be large; the number of unknowns is known to be larger.
                bound = bound.saturating_add(outside[e]);
                absorbed[e] |= outside[e] == 0;
                !absorbed[e]
            });
            cliques[i].push(next);
            degree[i] = bound.min((n - order.len() - 1) as u32).min(degree[i] + others - 1);
            queue.push(Reverse((late[i], degree[i], member)));
        }
        cliques[p] = clique;
    }
    order.extend(hubs);
    Some((order, looked))
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

    fn retain(&mut self, i: usize, keep: impl Fn(u32) -> bool) {
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
}

/// No fewer neighbours than this make a hub, nor fewer than ten times the root of the number of unknowns.
const MANY: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

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
            let order = minimum_degree(&once(&pairs), &[false; 17], u64::MAX).unwrap();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..17).collect::<Vec<u32>>());
            let work = work(17, &pairs, &order);
            prop_assert!(minimum_degree(&once(&pairs), &[false; 17], work).is_some());
            prop_assert!(minimum_degree(&once(&pairs), &[false; 17], work - 1).is_none());
        }
    }

    #[test]
    fn hubs_come_last_and_are_not_looked_through() {
        let n = 4000;
        let star: Vec<(usize, usize)> = (1..n).map(|leaf| (0, leaf)).collect();
        let resets: Vec<(usize, usize)> = star.iter().copied().chain((1..n - 1).map(|x| (x, x + 1))).collect();
        for pairs in [star, resets] {
            let (order, looked) = counted(&once(&pairs), &vec![false; n], u64::MAX).unwrap();
            assert_eq!(order.last(), Some(&0));
            assert!(looked <= 8 * n as u64, "{looked} steps");
            assert!(work(n, &pairs, &order) <= 16 * n as u64);
        }
    }

    #[test]
    fn trees_get_no_new_entries_and_grids_few() {
        let n = 1000;
        let tree: Vec<(usize, usize)> = (1..n).map(|i| (i, (i * 7919) % i)).collect();
        let order = minimum_degree(&once(&tree), &vec![false; n], u64::MAX).unwrap();
        assert_eq!(work(n, &tree, &order), 4 * (n as u64 - 1) + 1);
        let side = 30;
        let at = |x: usize, y: usize| y * side + x;
        let grid: Vec<(usize, usize)> = (0..side)
            .flat_map(|x| (0..side - 1).flat_map(move |y| [(at(x, y), at(x, y + 1)), (at(y, x), at(y + 1, x))]))
            .collect();
        let order = minimum_degree(&once(&grid), &vec![false; side * side], u64::MAX).unwrap();
        let natural: Vec<u32> = (0..(side * side) as u32).collect();
        assert!(3 * work(side * side, &grid, &order) < work(side * side, &grid, &natural));
    }
}
