import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'
import { sourceSettingNames } from '../settings.ts'

/** `fieldstone run`. */
export const runPage: CommandPage = {
  summary: 'answer the rows of a CSV',
  usage: ['run <file.csv> --preset <name> [options]', 'run <file.csv> --fields <a,b,…> [options]'],
  description: [
    'Answers the fields at every row of a CSV and writes a CSV beside it: a row for a row, with the columns of the file, at most 512, at the right. Rows are recognised by the columns lat and lng, address, or street, city, state and zip; separators, quotes and line breaks are found out.',
    'Goes on where it was interrupted when the same command is given again. Without --server it works on the data folder of this machine, which no server may be using.',
  ],
  maxArguments: 1,
  options: {
    preset: sharedOptions.preset,
    fields: { ...sharedOptions.fields, description: 'further fields, by name' },
    out: {
      valueName: 'file.csv',
      description: 'where the result goes',
      defaultText: '<file>.<preset>.csv, in the current folder',
      completion: 'files',
    },
    kind: {
      valueName: 'name',
      description: 'what is done with a row',
      defaultText: 'fetch_batch',
      completion: ['fetch_batch', 'geocode_batch', 'lookup_batch'],
    },
    server: { ...sharedOptions.server, description: 'a server to work on' },
    token: { valueName: 'token', description: 'the token for it (FIELDSTONE_TOKEN)' },
    data: sharedOptions.data,
  },
  environment: ['FIELDSTONE_TOKEN', 'FIELDSTONE_CONCURRENCY', ...sourceSettingNames],
  exitCodes: { 1: 'the file or a field was refused', 130: 'interrupted; the same command goes on from there' },
  examples: [
    ['fieldstone run places.csv --preset place_context', 'writes places.place_context.csv'],
    ['fieldstone run places.csv --fields county,timezone --out answered.csv', 'two fields, to a file of that name'],
  ],
}
