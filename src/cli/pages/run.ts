import { sharedOptions } from '../shared-options.ts'
import { resultColumns } from '../run/run-backend.ts'
import type { CommandPage } from '../command-page.ts'
import { sourceSettingNames } from '../settings.ts'

/** `fieldstone run`. */
export const runPage: CommandPage = {
  summary: 'Answer every row, point or shape of a file',
  usage: [
    'run <file.csv> --preset <name> [options]',
    'run <file.csv> --fields <a,b,…> [options]',
    'run <shapes.geojson> --fields <a,b,…> [options]',
    'run - --format <csv|ndjson|arrow> --fields <a,b,…> [--serve-stdin]',
  ],
  description: [
    'Fetches the fields for every row of a file of places, and writes a file with one row for each input row. The file is read by its content: delimited text, a workbook (.xlsx), JSON, GeoJSON, KML, KMZ, a shapefile, a GeoPackage, a file geodatabase, FlatGeobuf, Parquet or well-known text (WKT), also with gzip or in a ZIP archive. Use - as the file name to read standard input. Delimiters, quotes, line breaks, the header and the encoding are detected. The output has every column of the input first, with its text unchanged, then the fields. A column of ours whose name the input has gets the prefix fieldstone_. The file can have at most 512 columns.',
    'Locations are read from columns with the usual names: a latitude and a longitude, one column with both, or an address. If several columns can have the location, and their values differ, the file is refused until --lat and --lng, --location or --address choose. The summary says which columns were read, and why.',
    'Polygons and lines of a file are answered as by `fieldstone area`, and its points as rows. For areas, the output has the attributes of each shape, and its outline in the column `shape` and in GeoJSON. With --kind area_batch, a CSV file has the areas in a column named shape, geometry, the_geom, wkt or county_fips.',
    'To continue an interrupted run, run the same command again. If the run had already ended, the command retries only what failed and may succeed now: temporary errors, and fields for which you have added a pack or a key. It then writes the merged result.',
    'Without --server, the run has no limit of rows. Fields of local data are answered by all processors. Addresses, other kinds of runs, rasters, and fields that need other servers use the data folder of this machine, and no server may be using that folder.',
    'The file can be an object in S3-compatible storage, or a prefix that ends with a slash, with --out s3://bucket/prefix/. Each object below a prefix, or each shard of a single object, gets a result of its own in the format of the input (Parquet, JSON lines, GeoJSON for shapes, otherwise CSV). When all results are complete, the command writes _SUCCESS beside them. It exits with 0 although rows failed, unless --strict is given.',
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
      defaultText: '<file>.<preset>.csv, or <file>.result.csv, in the current folder',
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
        'Additional columns, comma-separated. margins: <field>_moe, the margin of error of each value. geocodes: the accuracy of each address, whose warnings always have a column. covered_shares: <field>_covered_share of each area. reasons: <field>_status, and <field>_reason for a missing value.',
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
        'Answer one of n parts of the rows, such as 3/64. The parts in order, without the header of all but the first, are the whole result. Of a prefix, it answers one of n parts of the objects.',
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
    lat: { valueName: 'column', description: 'Latitude column, by name or number.', defaultText: 'recognized' },
    lng: { valueName: 'column', description: 'Longitude column, by name or number.', defaultText: 'recognized' },
    location: {
      valueName: 'column',
      description: 'Column with both coordinates in one text, or with areas, by name or number.',
      defaultText: 'recognized',
    },
    address: { valueName: 'column', description: 'Address column, by name or number.', defaultText: 'recognized' },
    crs: {
      valueName: 'code',
      description:
        'Coordinate system of the file, such as EPSG:2232. In a table, --lat is then the northing and --lng the easting.',
      defaultText: 'what the file declares, or degrees',
    },
    west: { description: 'Read longitudes without a minus sign as west.' },
    delimiter: {
      valueName: 'character',
      description: 'Character between the cells of a text file, or tab.',
      defaultText: 'comma, semicolon, tab or vertical bar, detected',
    },
    'header-row': {
      valueName: 'line',
      description: 'Number of the line with the names of the columns; 0 if there is none.',
      defaultText: 'detected',
    },
    layer: {
      valueName: 'name',
      description: 'Layer of a GeoPackage, or file in an archive, if there are several; or list of a JSON object.',
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
