import type { CommandOption } from './command-page.ts'

/** The flags that several commands take. */
export const sharedOptions = {
  data: {
    valueName: 'folder',
    description: 'where the state is kept (FIELDSTONE_DATA)',
    defaultText: './data',
    completion: 'files',
  },
  'env-file': {
    valueName: 'file',
    description:
      'a file of NAME=value lines; what is set in the environment counts more. No such file is read unless it is named',
    completion: 'files',
  },
  at: { valueName: 'lat,lng', description: 'the place, in degrees, latitude first' },
  address: { valueName: 'address', description: 'the place, as a US street address' },
  fields: { valueName: 'a,b,…', description: 'fields, by name' },
  preset: { valueName: 'name', description: 'the fields of a preset' },
  json: { description: 'the answer as JSON, for a program' },
  server: { valueName: 'address', description: 'the server that is meant, such as https://fieldstone.example' },
  scopes: {
    valueName: 'a,b,…',
    description: 'what the account may do: some of fetch, geocode, lookup, parcel, ask, runs, admin',
    defaultText: 'all but parcel and admin',
  },
  help: { description: 'this page' },
} as const satisfies Record<string, CommandOption>

/** Every command takes these. */
export const globalOptions: Readonly<Record<string, CommandOption>> = {
  'env-file': sharedOptions['env-file'],
  help: sharedOptions.help,
}
