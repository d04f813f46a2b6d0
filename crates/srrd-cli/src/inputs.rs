//! Where samples come from: files, named parts of files, and standard input.

use crate::failure::Failure;
use crate::settings::Chosen;
use srrd::NamedSample;
use srrd::{Metric, Regression, SampleError};
use srrd_data::{
    FileFormat, ReadOptions, SampleTable, TableError, TableOptions, TableReader, open, open_stream, read_sample_table,
    read_samples,
};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A table that can be read more than once: what is no file, such as standard input, is kept in a temporary one.
pub enum Source {
    Path(PathBuf),
    Kept { file: File, name: String, format: FileFormat },
}

impl Source {
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let standard_input = path.as_os_str() == "-";
        // Whatever is wrong with a path is said when it is opened.
        let stream = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        if !standard_input && !stream {
            return Ok(Source::Path(path.to_owned()));
        }
        let format = FileFormat::from_path(path)?;
        let name = if standard_input { "standard input".to_owned() } else { path.display().to_string() };
        let keep = || -> io::Result<File> {
            let mut file = tempfile::tempfile()?;
            match standard_input {
                true => io::copy(&mut io::stdin().lock(), &mut file)?,
                false => io::copy(&mut File::open(path)?, &mut file)?,
            };
            Ok(file)
        };
        match keep() {
            Ok(file) => Ok(Source::Kept { file, name, format }),
            Err(e) => Err(Failure::Failed(format!("{name}: cannot be read: {e}"))),
        }
    }

    pub fn open(&self) -> Result<Box<dyn TableReader>, TableError> {
        match self {
            Source::Path(path) => open(path, &ReadOptions::default()),
            Source::Kept { file, name, format } => {
                let again = file.try_clone().and_then(|mut file| file.seek(SeekFrom::Start(0)).map(|_| file));
                let file = again.map_err(|e| {
                    TableError::new(srrd_data::ErrorKind::Io, name, format!("cannot be read again: {e}"))
                })?;
                open_stream(name, *format, Box::new(file), &ReadOptions::default())
            }
        }
    }

    /// The samples of the table and where its rows went.
    pub fn samples(&self, chosen: &Chosen) -> Result<SampleTable, Failure> {
        let name = match self {
            Source::Path(path) => path.file_name().map(|name| name.to_string_lossy().into_owned()),
            Source::Kept { .. } => None,
        };
        let reader = self.open()?;
        let name = name.unwrap_or_else(|| reader.name().to_owned());
        let file = reader.name().to_owned();
        let mut table = read_sample_table(reader, &name, chosen.duplicates)?;
        table.samples = predicting(table.samples, &file, chosen)?;
        Ok(table)
    }
}

/// The samples of a table as the estimator needs them: those of the regressed one predict what they do not hold.
fn predicting(samples: Vec<NamedSample>, file: &str, chosen: &Chosen) -> Result<Vec<NamedSample>, Failure> {
    let Some(regression) = predicts(chosen) else { return Ok(samples) };
    samples.into_iter().map(|named| predict(named, file, regression)).collect()
}

/// What predicts rewards, if a metric asks for any that may not be sampled: direct and projected do not.
pub fn predicts(chosen: &Chosen) -> Option<Regression> {
    let expects = |metric: &Metric| matches!(metric, Metric::Epic | Metric::Dard | Metric::Srrd);
    chosen.regression.filter(|_| chosen.metrics.iter().any(expects))
}

/// The sample, predicting the rewards that it does not hold.
pub fn predict(named: NamedSample, file: &str, regression: Regression) -> Result<NamedSample, Failure> {
    let one_step = named.one_step;
    let sample = named.sample.with_regression(regression).map_err(|error| {
        let why = match error {
            SampleError::NoFeatures { .. } if one_step => {
                "the table has no next states whose features could tell a reward; choose another estimator".to_owned()
            }
            SampleError::NoFeatures { .. } => {
                "states are tokens here, which tell no reward; give numeric feature columns `state.NAME` and \
                 `next_state.NAME` instead of `state` and `next_state`, or choose another estimator"
                    .to_owned()
            }
            other => other.to_string(),
        };
        Failure::wrong(format!("{file}: --estimator regressed: {why}"))
    })?;
    Ok(NamedSample { sample, ..named })
}

/// The one sample that `TABLE` or `TABLE#SAMPLE` names, with its episodes if they are asked for and known.
pub fn read_one(path: &Path, chosen: &Chosen, episodes: bool) -> Result<NamedSample, Failure> {
    let (table, wanted) = match split_name(path) {
        Some((table, name)) => (table, Some(name)),
        None => (path.to_owned(), None),
    };
    let mut samples = read_predicting(&table, chosen, episodes)?;
    let listed = || {
        let names: Vec<&str> = samples.iter().take(5).map(|s| s.name.as_str()).collect();
        let more = if samples.len() > 5 { ", …" } else { "" };
        format!("{}{more}", names.join(", "))
    };
    match wanted {
        None if samples.len() == 1 => Ok(samples.remove(0)),
        None => Err(Failure::wrong(format!(
            "{}: the table holds {} samples ({}), but one is needed: name it as '{}#SAMPLE', or compare all of them with \
             `srrd matrix`",
            table.display(),
            samples.len(),
            listed(),
            table.display(),
        ))),
        Some(name) if samples.iter().all(|sample| sample.from_file) => Err(Failure::wrong(format!(
            "{}: there is no sample '{name}': the table has no column `sample`, so it is one sample; leave out '#{name}'",
            table.display(),
        ))),
        Some(name) => match samples.iter().position(|sample| sample.name == name) {
            Some(index) => Ok(samples.swap_remove(index)),
            None => Err(Failure::wrong(format!(
                "{}: there is no sample '{name}' in column `sample`: the table holds {}",
                table.display(),
                listed()
            ))),
        },
    }
}

fn read_predicting(path: &Path, chosen: &Chosen, episodes: bool) -> Result<Vec<NamedSample>, Failure> {
    let file = if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() };
    let samples = read_samples(path, TableOptions { episodes, ..chosen.duplicates.into() })?;
    predicting(samples, &file, chosen)
}

/// `TABLE#SAMPLE`, unless a file has that very name.
fn split_name(path: &Path) -> Option<(PathBuf, String)> {
    let (table, name) = path.to_str()?.rsplit_once('#')?;
    let table = PathBuf::from(table);
    (!path.exists() && FileFormat::from_path(&table).is_ok()).then(|| (table, name.to_owned()))
}

/// The table that `TABLE` or `TABLE#SAMPLE` names.
pub fn table_of(path: &Path) -> PathBuf {
    split_name(path).map_or_else(|| path.to_owned(), |(table, _)| table)
}

/// What was read from standard input is gone.
pub fn read_once<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    match paths.into_iter().filter(|path| path.as_os_str() == "-").count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::wrong("standard input can be read only once: name files for the other samples")),
    }
}

/// The samples of all tables, or those that `TABLE#SAMPLE` names, with names that tell them apart.
pub fn read_all(paths: &[PathBuf], chosen: &Chosen) -> Result<Vec<NamedSample>, Failure> {
    read_once(paths)?;
    let mut samples = Vec::new();
    // What was given for every sample.
    let mut given = Vec::new();
    for path in paths {
        let of_path = match split_name(path) {
            Some(_) => vec![read_one(path, chosen, false)?],
            None => read_predicting(path, chosen, false)?,
        };
        given.resize(given.len() + of_path.len(), path);
        samples.extend(of_path);
    }
    // Samples of the same name in different files get the path into their names.
    let mut sorted: Vec<&str> = samples.iter().map(|s| s.name.as_str()).collect();
    sorted.sort_unstable();
    let repeated: Vec<String> =
        sorted.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0].to_owned()).collect();
    for (sample, path) in samples.iter_mut().zip(&given) {
        if repeated.binary_search(&sample.name).is_ok() {
            let table = table_of(path);
            let table = table.display();
            sample.name = if sample.from_file { table.to_string() } else { format!("{table}#{}", sample.name) };
        }
    }
    let mut names: Vec<(&str, &PathBuf)> = samples.iter().map(|s| s.name.as_str()).zip(given).collect();
    // By name alone, so that what was given first comes first.
    names.sort_by_key(|&(name, _)| name);
    if let Some(&[(name, first), (_, second)]) = names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let (first, second) = (first.display().to_string(), second.display().to_string());
        return Err(Failure::wrong(match first == second {
            true => format!("{first}: it was given twice; leave one of the two out"),
            false => {
                format!("{name}: the sample was given twice, by '{first}' and by '{second}'; leave one of them out")
            }
        }));
    }
    check_same_features(&samples)?;
    Ok(samples)
}

/// Samples that identify states by different things can share no transition; that is a mistake, not a distance.
pub fn check_same_features<'a>(samples: impl IntoIterator<Item = &'a NamedSample>) -> Result<(), Failure> {
    let mut samples = samples.into_iter();
    let Some(first) = samples.next() else { return Ok(()) };
    let describe = |features: &Option<Vec<String>>| match features {
        None => "a token".to_owned(),
        Some(names) => format!("the features {}", names.join(", ")),
    };
    for other in samples {
        for (what, a, b) in [
            ("states", &first.state_features, &other.state_features),
            ("actions", &first.action_features, &other.action_features),
        ] {
            if a != b {
                return Err(Failure::wrong(format!(
                    "{} identifies {what} by {} and {} by {}: they can share no transition; give both the same columns",
                    first.name,
                    describe(a),
                    other.name,
                    describe(b)
                )));
            }
        }
        if first.one_step != other.one_step {
            let (one, several) = if first.one_step { (first, other) } else { (other, first) };
            return Err(Failure::wrong(format!(
                "{} has no column `next_state` and {} has: they can share no transition; give both the same columns",
                one.name, several.name
            )));
        }
    }
    Ok(())
}
