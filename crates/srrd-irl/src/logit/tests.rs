use super::*;

/// Five unknowns, points of two and three options with terms of several unknowns.
fn some() -> Choices {
    let mut choices = Choices::new();
    choices.push(&[(3.0, vec![(0, 0.9)]), (1.0, vec![(1, 0.9)])]);
    choices.push(&[(2.0, vec![(1, 0.5), (2, 0.4)]), (2.0, vec![(0, 0.9)]), (5.0, vec![(3, 0.3), (2, 0.6)])]);
    choices.push(&[(4.0, vec![(3, 0.2), (4, 0.7)]), (0.0, vec![(3, 0.2)])]);
    choices
}

#[test]
fn the_gradient_and_the_curvature_are_those_of_the_likelihood() {
    let choices = some();
    let x = [0.3, -0.2, 0.5, 1.0, -0.7];
    let mut chance = vec![0.0; 7];
    let at =
        |x: &[f64], chance: &mut Vec<f64>| choices.chances(x, chance) - 0.05 * x.iter().map(|x| x * x).sum::<f64>();
    at(&x, &mut chance);
    let (gradient, here) = (choices.gradient(&x, &chance, 0.1), chance.clone());
    for i in 0..5 {
        let moved = |by: f64| {
            let mut moved = x.to_vec();
            moved[i] += by;
            moved
        };
        let slope = (at(&moved(1e-5), &mut chance) - at(&moved(-1e-5), &mut chance)) / 2e-5;
        assert!((slope - gradient[i]).abs() < 1e-8, "{i}");
        let mut unit = vec![0.0; 5];
        unit[i] = 1.0;
        let curve = choices.curve(&here, 0.1, &unit);
        let side = |by: f64, chance: &mut Vec<f64>| {
            choices.chances(&moved(by), chance);
            choices.gradient(&moved(by), chance, 0.1)
        };
        let (ahead, behind) = (side(1e-5, &mut chance), side(-1e-5, &mut chance));
        for j in 0..5 {
            assert!(((behind[j] - ahead[j]) / 2e-5 - curve[j]).abs() < 1e-8, "{i} {j}");
        }
    }
}

#[test]
fn both_ways_to_solve_find_the_same() {
    let choices = some();
    let found = fit(&choices, 5, Precision { ridge: 0.1, gradient: 1e-12 }, |_| false);
    assert!(found.converged && found.gradient < 1e-11);
    let mut chance = vec![0.0; 7];
    choices.chances(&found.x, &mut chance);
    let right = [1.0, -2.0, 0.5, 0.0, 3.0];
    let solved = conjugate_gradients(|v| choices.curve(&chance, 0.1, v), &right);
    let mut work = vec![0.0; 5];
    let j: Vec<(u32, f64)> = (0..).zip(right).collect();
    let expected: f64 = right.iter().zip(&solved).map(|(a, b)| a * b).sum();
    let (curvature, factor) = found.curvature.as_ref().unwrap();
    let quadratic = curvature.symmetric.quadratic(factor, &j, &mut work);
    assert!((quadratic - expected).abs() < 1e-8 * expected, "{quadratic} {expected}");
}

#[test]
fn an_unknown_that_decides_nothing_stays_zero_and_shifts_stay_open() {
    let mut choices = Choices::new();
    choices.push(&[(3.0, vec![(0, 0.9)]), (1.0, vec![(2, 0.9)])]);
    let found = fit(&choices, 3, Precision { ridge: 1e-6, gradient: 1e-12 }, |_| false);
    assert_eq!(found.x[1], 0.0);
    assert!((0.9 * (found.x[0] - found.x[2]) - 3f64.ln()).abs() < 1e-5);
    assert!((found.x[0] + found.x[2]).abs() < 1e-9); // the minimum norm
    // Var of log(3/1) is 1/3 + 1/1; one end of a balanced pair has a quarter of it.
    let mut work = vec![0.0; 3];
    let variance = found.variance(&[(0, 0.9), (2, -0.9)], &mut work);
    assert!((variance - 4.0 / 3.0).abs() < 1e-4, "{variance}");
    let half = found.variance(&[(0, 0.9)], &mut work);
    assert!((half - 1.0 / 3.0).abs() < 1e-4, "{half}");
    let drawn = found.draw(vec![1.0, -1.0, 0.3]);
    assert!((drawn[0] + drawn[2]).abs() < 1e-9 && drawn[1].abs() < 1e-9);
}
