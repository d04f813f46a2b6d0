//! Where samples come from: files, named parts of files, and standard input.

use crate::failure::Failure;
use crate::print;
use srrd::{Choice, NamedSample, Options};
use srrd_data::{
    ColumnMap, DATASETS, DatasetOptions, FileFormat, Next, ReadOptions, STANDARD_INPUT, SampleTable, TableError,
    TableOptions, TableReader, is_readable, open, open_stream, read_sample_table, read_table,
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
        let format = FileFormat::of_input(path)?;
        let name = if standard_input { STANDARD_INPUT.to_owned() } else { path.display().to_string() };
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
            Err(e) if e.kind() == io::ErrorKind::NotFound => Err(TableError::new(
                srrd_data::ErrorKind::NotFound,
                name,
                "no such file; check the path and the spelling",
            )
            .into()),
            Err(e) => Err(Failure::Failed(format!("{name}: cannot be read: {e}"))),
        }
    }

    pub fn open(&self, dataset: &DatasetOptions) -> Result<Box<dyn TableReader>, TableError> {
        match self {
            Source::Path(path) => open(path, &ReadOptions { dataset: dataset.clone(), ..ReadOptions::default() }),
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
    pub fn samples(&self, options: &TableOptions) -> Result<SampleTable, Failure> {
        let name = match self {
            Source::Path(path) => path.file_name().map(|name| name.to_string_lossy().into_owned()),
            Source::Kept { .. } => None,
        };
        let reader = self.open(&options.dataset)?;
        let name = name.unwrap_or_else(|| reader.name().to_owned());
        let table = read_sample_table(reader, &name, options.clone())?;
        print::table_notes(&table.notes);
        Ok(table)
    }
}

/// How tables become samples.
#[derive(Debug, clap::Args)]
pub struct TableArgs {
    /// Which column is which, such as state=obs,reward=rew; usual names are recognised without it
    #[arg(long, value_name = "ROLE=COLUMN,…")]
    columns: Option<ColumnMap>,
    /// The reward columns, with commas, or a pattern such as 'rewards/*': one sample for each
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    rewards: Vec<String>,
    /// Where next states come from in a table without them: shift takes those of the row after, none makes it a one-step problem;
    /// auto shifts where there are both `episode` and `step`
    #[arg(long, value_name = "auto|shift|none", default_value = "auto", value_parser = Next::named)]
    next: Next,
    #[command(flatten)]
    dataset: DatasetArgs,
}

/// How recorded data sets are read.
#[derive(Debug, clap::Args)]
pub struct DatasetArgs {
    /// Which kind of recorded data set it is; found out where possible
    #[arg(long, value_name = "NAME", value_parser = dataset_names())]
    from: Option<String>,
    /// An option of recorded data sets, such as keys=object,robot0_eef_pos or filter=train; `srrd convert --help` lists them.
    /// May be given several times
    #[arg(long = "dataset", value_name = "OPTION=VALUE")]
    options: Vec<String>,
}

fn dataset_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(DATASETS.iter().map(|dataset| dataset.name))
}

impl DatasetArgs {
    pub fn options(&self) -> Result<DatasetOptions, Failure> {
        let wrong = |error: srrd_data::DatasetOptionError| Failure::wrong(format!("--dataset: {error}"));
        let mut options = DatasetOptions::default();
        for pair in &self.options {
            options.set_pair(pair).map_err(wrong)?;
        }
        if let Some(name) = &self.from {
            options.set("from", name).map_err(wrong)?;
        }
        Ok(options)
    }
}

/// How tables become episodes: as [`TableArgs`], where rewards do not count.
#[derive(Debug, clap::Args)]
pub struct ColumnArgs {
    /// Which column is which, such as state=obs,episode=run; usual names are recognised without it
    #[arg(long, value_name = "ROLE=COLUMN,…")]
    columns: Option<ColumnMap>,
    /// Where next states come from in a table without them: shift takes those of the row after, none makes it a one-step problem;
    /// auto shifts where there are both `episode` and `step`
    #[arg(long, value_name = "auto|shift|none", default_value = "auto", value_parser = Next::named)]
    next: Next,
    #[command(flatten)]
    dataset: DatasetArgs,
}

impl ColumnArgs {
    /// The options of tables of which only what agents do counts.
    pub fn options(&self) -> Result<TableOptions, Failure> {
        Ok(TableOptions {
            columns: self.columns.clone().unwrap_or_default(),
            next: self.next,
            demonstrations: true,
            dataset: self.dataset.options()?,
            ..TableOptions::default()
        })
    }
}

impl TableArgs {
    /// The options of tables; with `episodes` where these are of use.
    pub fn options(&self, shared: &Options, episodes: bool) -> Result<TableOptions, Failure> {
        Ok(TableOptions {
            columns: self.columns.clone().unwrap_or_default(),
            rewards: self.rewards.iter().map(|name| name.trim().to_owned()).collect(),
            next: self.next,
            duplicates: shared.duplicates,
            episodes,
            dataset: self.dataset.options()?,
            ..TableOptions::default()
        })
    }
}

/// Tables that were read: each once, however many of its samples are named.
struct Tables<'a> {
    options: &'a TableOptions,
    read: Vec<(PathBuf, Vec<NamedSample>)>,
    /// Those in which a column names samples.
    with_column: Vec<PathBuf>,
}

impl<'a> Tables<'a> {
    fn new(options: &'a TableOptions) -> Self {
        Tables { options, read: Vec::new(), with_column: Vec::new() }
    }

    /// All samples of a table.
    fn samples(&mut self, path: &Path) -> Result<&[NamedSample], Failure> {
        let known = self.read.iter().position(|(known, _)| known == path);
        let at = match known {
            Some(at) => at,
            None => {
                let table = read_table(path, self.options.clone())?;
                print::table_notes(&table.notes);
                if table.has_sample_column() {
                    self.with_column.push(path.to_owned());
                }
                self.read.push((path.to_owned(), table.samples));
                self.read.len() - 1
            }
        };
        Ok(&self.read[at].1)
    }

    /// Where a table holds more samples than are needed: that a column makes them, which may mean something else.
    fn why_several(&self, path: &Path) -> String {
        match self.with_column.iter().any(|known| known == path) {
            false => String::new(),
            true => format!(
                "; the column `{}` is read as the sample that a row belongs to: rename it if it means something else, such as the number \
                 of a response",
                self.options.sample_column()
            ),
        }
    }

    /// The one sample that `TABLE` or `TABLE#SAMPLE` names.
    fn one(&mut self, path: &Path) -> Result<NamedSample, Failure> {
        let (table, wanted) = match split_name(path) {
            Some((table, name)) => (table, Some(name)),
            None => (path.to_owned(), None),
        };
        self.samples(&table)?;
        let why = self.why_several(&table);
        let samples = self.samples(&table)?;
        let listed = || {
            let names: Vec<&str> = samples.iter().take(5).map(|s| s.name.as_str()).collect();
            let more = if samples.len() > 5 { ", …" } else { "" };
            format!("{}{more}", names.join(", "))
        };
        match (wanted, samples) {
            (None, [only]) => Ok(only.clone()),
            (None, several) => Err(Failure::wrong(format!(
                "{}: the table holds {} samples ({}), but one is needed: name it as '{}#SAMPLE', or compare all of them with \
                 `srrd matrix`{why}",
                table.display(),
                several.len(),
                listed(),
                table.display(),
            ))),
            (Some(name), samples) if samples.iter().all(|sample| sample.from_file) => Err(Failure::wrong(format!(
                "{}: there is no sample '{name}': the table has no column `sample`, so it is one sample; leave out '#{name}'",
                table.display(),
            ))),
            (Some(name), samples) => samples.iter().find(|sample| sample.name == name).cloned().ok_or_else(|| {
                Failure::wrong(format!(
                    "{}: there is no sample '{name}' in column `sample`: the table holds {}",
                    table.display(),
                    listed()
                ))
            }),
        }
    }
}

/// The two samples that `TABLE` or `TABLE#SAMPLE` name; of one table alone, the two that it holds.
pub fn read_pair(a: &PathBuf, b: Option<&PathBuf>, options: &TableOptions) -> Result<[NamedSample; 2], Failure> {
    read_once([a].into_iter().chain(b))?;
    let mut tables = Tables::new(options);
    if let Some(b) = b {
        return Ok([tables.one(a)?, tables.one(b)?]);
    }
    tables.samples(a)?;
    let why = tables.why_several(a);
    // Taken over, not copied: there may be tens of millions of rewards.
    let samples: Vec<NamedSample> = tables.read.into_iter().flat_map(|(_, samples)| samples).collect();
    <[NamedSample; 2]>::try_from(samples).map_err(|others| {
        Failure::wrong(format!(
            "{}: two samples are compared, and the table holds {}: name a second table, or two reward columns with --rewards A,B{why}",
            a.display(),
            others.len()
        ))
    })
}

/// `TABLE#SAMPLE`, unless a file has that very name.
pub fn split_name(path: &Path) -> Option<(PathBuf, String)> {
    let (table, name) = path.to_str()?.rsplit_once('#')?;
    let table = PathBuf::from(table);
    (!path.exists() && is_readable(&table)).then(|| (table, name.to_owned()))
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
pub fn read_all(paths: &[PathBuf], options: &TableOptions) -> Result<Vec<NamedSample>, Failure> {
    read_once(paths)?;
    let mut tables = Tables::new(options);
    let mut samples = Vec::new();
    // What was given for every sample.
    let mut given = Vec::new();
    for path in paths {
        let of_path = match split_name(path) {
            Some(_) => vec![tables.one(path)?],
            None => tables.samples(path)?.to_vec(),
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
    Ok(samples)
}
