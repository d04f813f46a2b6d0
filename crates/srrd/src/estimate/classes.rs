//! States with the same successors: in dense graphs there are few distinct sets, and what depends on a set alone is done once.

use rustc_hash::FxHashMap;

use crate::graph::Graph;

/// The states grouped by their sets of successors.
pub(crate) struct SuccessorClasses {
    /// The class of every state.
    pub class_of: Vec<u32>,
    /// One state of every class.
    pub representative: Vec<u32>,
}

impl SuccessorClasses {
    /// O(edges). Where few states can share a set, because the graph is not dense, every state is a class of its own.
    pub fn of(graph: &Graph) -> Self {
        let states = graph.states() as u32;
        if graph.edges() * 4 < graph.states() * graph.states() {
            return SuccessorClasses { class_of: (0..states).collect(), representative: (0..states).collect() };
        }
        Self::found(graph)
    }

    /// O(edges), whatever the graph is. The representative of a class is the first of its states.
    pub fn found(graph: &Graph) -> Self {
        let states = graph.states() as u32;
        let mut known: FxHashMap<&[u32], u32> = FxHashMap::default();
        let mut representative = Vec::new();
        let class = |x| {
            *known.entry(graph.successors(x)).or_insert_with(|| {
                representative.push(x);
                representative.len() as u32 - 1
            })
        };
        let class_of = (0..states).map(class).collect();
        SuccessorClasses { class_of, representative }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_share_a_class() {
        // 0 and 2 lead to {1, 2}; 1 and 3 lead nowhere.
        let graph = Graph::new(vec![0, 2, 2, 4, 4], vec![0, 0, 2, 2], vec![1, 2, 1, 2], vec![0, 1, 2, 3, 4]);
        let classes = SuccessorClasses::of(&graph);
        assert_eq!(classes.class_of, [0, 1, 0, 1]);
        assert_eq!(classes.representative, [0, 1]);
    }
}
