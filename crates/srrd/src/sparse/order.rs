//! In which order to eliminate the unknowns of a sparse symmetric system so that few new entries appear.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::run::Pace;

/// An order by approximate minimum degree, or `None` as soon as the factorization would take more than `limit`
/// multiplications, or finding the order as many steps. `neighbours[i]` lists the unknowns that share an entry with i, without i and without repetitions; `late[i]`
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
pub(crate) fn minimum_degree(neighbours: Vec<Vec<u32>>, late: &[bool], limit: u64) -> Option<Vec<u32>> {
    counted(neighbours, late, limit).map(|(order, _)| order)
}

/// As [`minimum_degree`], with the number of neighbours and cliques that were looked at.
fn counted(neighbours: Vec<Vec<u32>>, late: &[bool], limit: u64) -> Option<(Vec<u32>, u64)> {
    let n = neighbours.len();
    let many = MANY.max(10 * n.isqrt());
    let is_hub: Vec<bool> = neighbours.iter().map(|list| list.len() > many).collect();
    let hubs: Vec<u32> = (0..n as u32).filter(|&i| is_hub[i as usize]).collect();
    let last = hubs.len() as u64;
    let mut plain = neighbours;
    if !hubs.is_empty() {
        hubs.iter().for_each(|&hub| plain[hub as usize].clear());
        plain.iter_mut().for_each(|list| list.retain(|&i| !is_hub[i as usize]));
    }
    // By unknown: the cliques it belongs to, named by the unknown that made them; by clique: its members.
    let mut cliques: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut degree: Vec<usize> = plain.iter().map(Vec::len).collect();
    let mut gone = vec![false; n];
    let mut absorbed = vec![false; n];
    // Stamps instead of sets: what was seen, or counted, during the elimination of the unknown numbered by `round`.
    let mut seen = vec![u32::MAX; n];
    let mut measured = vec![u32::MAX; n];
    let mut outside = vec![0usize; n];
    let mut queue: BinaryHeap<Reverse<(bool, usize, u32)>> =
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
        let mut add = |list: &[u32], gone: &[bool], clique: &mut Vec<u32>| {
            for &i in list {
                if !gone[i as usize] && seen[i as usize] != round {
                    seen[i as usize] = round;
                    clique.push(i);
                }
            }
        };
        add(&std::mem::take(&mut plain[p]), &gone, &mut clique);
        for e in std::mem::take(&mut cliques[p]) {
            add(&std::mem::take(&mut members[e as usize]), &gone, &mut clique);
            absorbed[e as usize] = true;
        }
        work += (clique.len() as u64 + last + 1).pow(2);
        // Lists and cliques of the members are gone through, too: some ten steps each.
        pace.spend(16 * (clique.len() + 1));
        if work.max(looked) > limit {
            return None;
        }
        // How much of every other clique lies outside the new one.
        for &i in &clique {
            cliques[i as usize].retain(|&e| !absorbed[e as usize]);
            for &e in &cliques[i as usize] {
                let e = e as usize;
                if measured[e] != round {
                    measured[e] = round;
                    outside[e] = members[e].len();
                }
                outside[e] -= 1;
            }
        }
        for &i in &clique {
            let i = i as usize;
            looked += (plain[i].len() + cliques[i].len()) as u64;
            // Neighbours within the new clique need not be listed any more, nor cliques that lie within it.
            plain[i].retain(|&j| !gone[j as usize] && seen[j as usize] != round);
            let mut bound = plain[i].len() + clique.len() - 1;
            cliques[i].retain(|&e| {
                let e = e as usize;
                bound += outside[e];
                absorbed[e] |= outside[e] == 0;
                !absorbed[e]
            });
            cliques[i].push(next);
            degree[i] = bound.min(n - order.len() - 1).min(degree[i] + clique.len() - 1);
            queue.push(Reverse((late[i], degree[i], i as u32)));
        }
        members[p] = clique;
    }
    order.extend(hubs);
    Some((order, looked))
}

/// No fewer neighbours than this make a hub, nor fewer than ten times the root of the number of unknowns.
const MANY: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn lists(n: usize, pairs: &[(usize, usize)]) -> Vec<Vec<u32>> {
        let mut sets = vec![BTreeSet::new(); n];
        for &(a, b) in pairs.iter().filter(|(a, b)| a != b) {
            sets[a].insert(b as u32);
            sets[b].insert(a as u32);
        }
        sets.into_iter().map(|set| set.into_iter().collect()).collect()
    }

    /// The multiplications of an order, counted on explicit sets.
    fn work(n: usize, pairs: &[(usize, usize)], order: &[u32]) -> u64 {
        let mut sets: Vec<BTreeSet<u32>> = lists(n, pairs).into_iter().map(|list| list.into_iter().collect()).collect();
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
            let order = minimum_degree(lists(17, &pairs), &[false; 17], u64::MAX).unwrap();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..17).collect::<Vec<u32>>());
            let work = work(17, &pairs, &order);
            prop_assert!(minimum_degree(lists(17, &pairs), &[false; 17], work).is_some());
            prop_assert!(minimum_degree(lists(17, &pairs), &[false; 17], work - 1).is_none());
        }
    }

    #[test]
    fn hubs_come_last_and_are_not_looked_through() {
        let n = 4000;
        let star: Vec<(usize, usize)> = (1..n).map(|leaf| (0, leaf)).collect();
        let resets: Vec<(usize, usize)> = star.iter().copied().chain((1..n - 1).map(|x| (x, x + 1))).collect();
        for pairs in [star, resets] {
            let (order, looked) = counted(lists(n, &pairs), &vec![false; n], u64::MAX).unwrap();
            assert_eq!(order.last(), Some(&0));
            assert!(looked <= 8 * n as u64, "{looked} steps");
            assert!(work(n, &pairs, &order) <= 16 * n as u64);
        }
    }

    #[test]
    fn trees_get_no_new_entries_and_grids_few() {
        let n = 1000;
        let tree: Vec<(usize, usize)> = (1..n).map(|i| (i, (i * 7919) % i)).collect();
        let order = minimum_degree(lists(n, &tree), &vec![false; n], u64::MAX).unwrap();
        assert_eq!(work(n, &tree, &order), 4 * (n as u64 - 1) + 1);
        let side = 30;
        let at = |x: usize, y: usize| y * side + x;
        let grid: Vec<(usize, usize)> = (0..side)
            .flat_map(|x| (0..side - 1).flat_map(move |y| [(at(x, y), at(x, y + 1)), (at(y, x), at(y + 1, x))]))
            .collect();
        let order = minimum_degree(lists(side * side, &grid), &vec![false; side * side], u64::MAX).unwrap();
        let natural: Vec<u32> = (0..(side * side) as u32).collect();
        assert!(3 * work(side * side, &grid, &order) < work(side * side, &grid, &natural));
    }
}
