import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'
import { sourceSettingNames } from '../settings.ts'

/** `fieldstone run`. */
export const runPage: CommandPage = {
  summary: 'Answer every row of a CSV file',
  usage: ['run <file.csv> --preset <name> [options]', 'run <file.csv> --fields <a,b,…> [options]'],
  description: [
    'Fetches the fields for every row of a CSV file and writes a CSV file with one row for each input row. Locations are read from one of these sets of columns: lat and lng; address; street, city, state and zip. All other columns are copied to the right of the fields. The file can have at most 512 columns. Delimiters, quotes and line breaks are detected.',
    'To continue an interrupted run, run the same command again. Without --server, the run uses the data folder of this machine, and no server may be using that folder.',
  ],
  maxArguments: 1,
  options: {
    preset: sharedOptions.preset,
    fields: { ...sharedOptions.fields, description: 'Additional fields, comma-separated.' },
    out: {
      valueName: 'file.csv',
      description: 'Output file.',
      defaultText: '<file>.<preset>.csv in the current folder',
      completion: 'files',
    },
    kind: {
      valueName: 'name',
      description: 'Kind of run: fetch_batch, geocode_batch or lookup_batch.',
      defaultText: 'fetch_batch',
      completion: ['fetch_batch', 'geocode_batch', 'lookup_batch'],
    },
    server: { ...sharedOptions.server, description: 'Run on the server at this URL instead of on this machine.' },
    token: { valueName: 'token', description: 'Token for the server (FIELDSTONE_TOKEN).' },
    data: sharedOptions.data,
  },
  environment: ['FIELDSTONE_TOKEN', 'FIELDSTONE_CONCURRENCY', ...sourceSettingNames],
  exitCodes: {
    1: 'The file or a field was rejected.',
    130: 'Interrupted. Run the same command again to continue.',
  },
  examples: [
    ['fieldstone run places.csv --preset place_context', 'Write places.place_context.csv'],
    ['fieldstone run places.csv --fields county,timezone --out answered.csv', 'Write two fields to answered.csv'],
  ],
}
