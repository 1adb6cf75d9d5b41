import { sharedOptions } from '../shared-options.ts'
import { resultColumns } from '../run/run-backend.ts'
import type { CommandPage } from '../command-page.ts'
import { sourceSettingNames } from '../settings.ts'

/** `fieldstone run`. */
export const runPage: CommandPage = {
  summary: 'Answer every row of a CSV file, or every shape of a file',
  usage: [
    'run <file.csv> --preset <name> [options]',
    'run <file.csv> --fields <a,b,…> [options]',
    'run <shapes.geojson> --fields <a,b,…> [options]',
    'run - --format <csv|ndjson|arrow> --fields <a,b,…> [--serve-stdin]',
  ],
  description: [
    'Fetches the fields for every row of a CSV file or a workbook (.xlsx), and writes a file with one row for each input row. Without --server, the input can also be a Parquet file, or a file with a JSON object in each line. Locations are read from one of these sets of columns: lat and lng; address; street, city, state and zip. The output has every column of the input first, with its text unchanged, then the fields. A column of ours whose name the input has gets the prefix fieldstone_. The file can have at most 512 columns. Delimiters, quotes, line breaks and the encoding are detected. Coordinates can be decimal degrees, with a decimal point or comma, or degrees, minutes and seconds. Use - as the file name to read standard input.',
    'A file that ends in .geojson, .kml, .kmz or .zip has polygons and lines, and each is answered as by `fieldstone area`. A .zip file has a shapefile with its .prj file. The output has the attributes of each shape, and its outline in the column `shape` and in GeoJSON. Features without a polygon or a line are ignored. With --kind area_batch, a CSV file has the areas in a column named shape, geometry (GeoJSON) or county_fips.',
    'To continue an interrupted run, run the same command again. If the run had already ended, the command retries only what failed and may succeed now: temporary errors, and fields for which you have added a pack or a key. It then writes the merged result.',
    'Without --server, the run has no limit of rows. Fields of local data are answered by all processors. Addresses, other kinds of runs, rasters, and fields that need other servers use the data folder of this machine, and no server may be using that folder.',
    'While a run without --server writes the output, the files .<output>.part, .<output>.journal and .<output>.lock are beside it. The journal remains when a later run may find more values.',
  ],
  maxArguments: 1,
  argumentCompletion: { files: true },
  options: {
    preset: sharedOptions.preset,
    fields: { ...sharedOptions.fields, description: 'Additional fields, comma-separated.' },
    out: {
      valueName: 'file.csv',
      description:
        'Output file. Its ending is the format: .csv, .xlsx (Excel), .geojson, .ndjson or .jsonl (JSON lines), .parquet (GeoParquet) or .gpkg (GeoPackage). Use - for CSV on standard output.',
      defaultText: '<file>.<preset>.csv in the current folder',
      completion: 'files',
    },
    format: {
      valueName: 'name',
      description:
        'With - as the file: read rows from standard input as they arrive, and write each block of them to standard output when it is answered. csv, ndjson (a JSON object in each line) or arrow (a stream of record batches), for both.',
      completion: ['csv', 'ndjson', 'arrow'],
    },
    'serve-stdin': {
      description:
        'With --format: answer batches for a worker that stays. Prints one line of JSON when it is ready. A batch is a line with its number of bytes, then the bytes. The answer is a line of JSON with rows, bytes and exit_code, then the bytes.',
    },
    force: { description: 'Replace the output file if it exists. The input file is never replaced.' },
    fresh: { description: 'Answer every row again, including those that an earlier run of the same file answered.' },
    include: {
      valueName: 'list',
      description:
        'Additional columns, comma-separated. margins: <field>_moe, the margin of error of each value. geocodes: the accuracy of each address. covered_shares: <field>_covered_share of each area. reasons: <field>_status, and <field>_reason for a missing value.',
      completion: resultColumns,
      isList: true,
    },
    'retry-failed': {
      description:
        'Answer only the rows that failed in the output file, or that you have changed in the input since, and write the merged result. Correct the rows in the input, and keep their order.',
    },
    restart: { description: 'Discard what an interrupted run left beside the output file, and start again.' },
    shard: {
      valueName: 'k/n',
      description:
        'Answer one of n parts of the rows, such as 3/64. The parts in order, without the header of all but the first, are the whole result.',
      defaultText: 'all rows',
    },
    shards: {
      valueName: 'n',
      description:
        'Number of parts in a Kubernetes indexed job (JOB_COMPLETIONS). JOB_COMPLETION_INDEX says which one to answer.',
    },
    workers: {
      valueName: 'n',
      description:
        'Number of threads that answer local fields, with the main thread. With addresses, number of worker threads that read address packs; 0: the main thread does.',
      defaultText: 'one for each processor',
    },
    quiet: { description: 'Print nothing but errors.' },
    json: { description: 'Print the report of the run as JSON instead of a summary.' },
    strict: { description: 'Exit with 2 if a field failed.' },
    lat: { valueName: 'column', description: 'Name of the latitude column.', defaultText: 'recognized by its name' },
    lng: { valueName: 'column', description: 'Name of the longitude column.', defaultText: 'recognized by its name' },
    address: {
      valueName: 'column',
      description: 'Name of the address column.',
      defaultText: 'recognized by its name',
    },
    encoding: {
      valueName: 'name',
      description: 'Encoding of the file, such as windows-1252.',
      defaultText: 'UTF-8, UTF-16 or Windows-1252, detected',
    },
    sheet: { valueName: 'name', description: 'Sheet of a workbook (.xlsx) that has several.' },
    kind: {
      valueName: 'name',
      description: 'Kind of run: fetch_batch, area_batch, geocode_batch or lookup_batch.',
      defaultText: 'fetch_batch; area_batch for a file of shapes',
      completion: ['fetch_batch', 'area_batch', 'geocode_batch', 'lookup_batch'],
    },
    server: { ...sharedOptions.server, description: 'Run on the server at this URL instead of on this machine.' },
    token: sharedOptions.token,
    data: sharedOptions.data,
  },
  environment: ['FIELDSTONE_TOKEN', 'FIELDSTONE_CONCURRENCY', ...sourceSettingNames],
  exitCodes: {
    1: 'The file or a field was rejected, or a location failed. If only locations failed, the result file is complete.',
    2: 'With --strict: every location was answered, but some fields failed.',
    75: 'A temporary failure, such as a full disk. Run the same command again to continue.',
    130: 'Interrupted. Run the same command again to continue.',
  },
  examples: [
    ['fieldstone run places.csv --preset place_context', 'Write places.place_context.csv'],
    ['fieldstone run places.csv --fields county,timezone --out answered.csv', 'Write two fields to answered.csv'],
    [
      'fieldstone run places.csv --preset place_context --retry-failed',
      'Answer the failed rows, after you have corrected them in places.csv',
    ],
    ['fieldstone run parcels.geojson --preset flood_risk --out flood.geojson', 'Write the shares of each parcel'],
  ],
}
