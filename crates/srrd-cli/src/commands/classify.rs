//! `srrd classify`: who acted, by the rewards of the nearest neighbours.

use crate::args::Classify;
use crate::failure::Failure;
use crate::inputs::read_all;
use crate::print;
use srrd::answer::{ClassifyOptions, ClassifyPlan, classify, label};
use srrd::{Metric, NamedSample};
use srrd_show::present::classification;

pub fn run(args: &Classify) -> Result<(), Failure> {
    let options = args.shared.options()?;
    let question = options.question_by(&[Metric::Srrd])?;
    if args.predict.is_some() {
        question.metric("predictions are")?;
    }
    let choices = ClassifyOptions {
        gammas: args.gamma.clone(),
        ks: args.k.clone(),
        train: args.train,
        repeats: args.repeats,
        shrinkage: args.shrinkage,
    };
    let plan = ClassifyPlan::new(&question, &choices)?;
    args.usual.threads.run(|| {
        let table = args.usual.table.options(&options, false)?;
        let samples = read_all(&args.inputs, &table)?;
        let samples: Vec<&NamedSample> = samples.iter().collect();
        match &args.predict {
            None => {
                let found = classify(&samples, &plan)?;
                print::warnings(&found.warnings);
                match args.usual.json {
                    true => print::json(&found)?,
                    false => print::result(&classification::text(&found))?,
                }
            }
            Some(unlabelled) => {
                let unknown = read_all(std::slice::from_ref(unlabelled), &table)?;
                let found = label(&samples, &unknown.iter().collect::<Vec<_>>(), &plan)?;
                print::warnings(&found.warnings);
                match args.usual.json {
                    true => print::json(&found)?,
                    false => print::result(&classification::labelling(&found))?,
                }
            }
        }
        Ok(())
    })
}
