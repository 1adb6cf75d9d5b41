import { options } from '../options.ts'
import type { Page } from '../page.ts'
import { sourceSettings } from '../settings.ts'

/** `fieldstone run`. */
export const run: Page = {
  purpose: 'answer the rows of a CSV',
  usage: ['run <file.csv> --preset <name> [options]', 'run <file.csv> --fields <a,b,…> [options]'],
  says: [
    'Answers the fields at every row of a CSV and writes a CSV beside it: a row for a row, with the columns of the file, at most 512, at the right. Rows are recognised by the columns lat and lng, address, or street, city, state and zip; separators, quotes and line breaks are found out.',
    'Goes on where it was interrupted when the same command is given again. Without --server it works on the data folder of this machine, which no server may be using.',
  ],
  words: 1,
  options: {
    preset: options.preset,
    fields: { ...options.fields, says: 'further fields, by name' },
    out: { value: 'file.csv', says: 'where the result goes', otherwise: '<file>.<preset>.csv, in the current folder', completes: 'files' },
    kind: { value: 'name', says: 'what is done with a row', otherwise: 'fetch_batch', completes: ['fetch_batch', 'geocode_batch', 'lookup_batch'] },
    server: { ...options.server, says: 'a server to work on' },
    token: { value: 'token', says: 'the token for it (FIELDSTONE_TOKEN)' },
    data: options.data,
  },
  environment: ['FIELDSTONE_TOKEN', 'FIELDSTONE_CONCURRENCY', ...sourceSettings],
  exits: { 1: 'the file or a field was refused', 130: 'interrupted; the same command goes on from there' },
  examples: [
    ['fieldstone run places.csv --preset place_context', 'writes places.place_context.csv'],
    ['fieldstone run places.csv --fields county,timezone --out answered.csv', 'two fields, to a file of that name'],
  ],
}
