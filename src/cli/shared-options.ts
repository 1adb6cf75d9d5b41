import { datasets, fields, presets } from '../../catalog/contents.ts'
import { allScopes } from '../auth/scope.ts'
import type { CommandOption } from './command-page.ts'

/** The flags that several commands take. */
export const sharedOptions = {
  data: {
    valueName: 'folder',
    description: 'Data folder (FIELDSTONE_DATA).',
    defaultText: './data',
    completion: 'files',
  },
  'env-file': {
    valueName: 'file',
    description: 'File with NAME=value lines. Environment variables override the file.',
    defaultText: 'none',
    completion: 'files',
  },
  at: {
    valueName: 'lat,lng',
    description: 'Coordinate in degrees, latitude first, or a ZIP code, county, town or airport.',
  },
  address: { valueName: 'address', description: 'US street address.' },
  fields: {
    valueName: 'a,b,…',
    description: 'Field names, comma-separated.',
    completion: fields.map(({ name }) => name),
    isList: true,
  },
  preset: { valueName: 'name', description: 'Preset: a named list of fields.', completion: Object.keys(presets) },
  json: { description: 'Print JSON.' },
  server: { valueName: 'address', description: 'Server URL, such as https://fieldstone.example.' },
  token: {
    valueName: 'token',
    description: 'Token for the server (FIELDSTONE_TOKEN).',
    defaultText: 'the login of `fieldstone login` to this server',
  },
  scopes: {
    valueName: 'a,b,…',
    description: 'Scopes to grant, comma-separated: any of fetch, geocode, lookup, parcel, ask, runs and admin.',
    defaultText: 'all except parcel and admin',
    completion: allScopes,
    isList: true,
  },
  help: { description: 'Show this page.' },
} as const satisfies Record<string, CommandOption>

/** The names of all datasets, as arguments. */
export const datasetNames: readonly string[] = Object.keys(datasets).toSorted()

/** The flags that every command takes. */
export const globalOptions: Readonly<Record<string, CommandOption>> = {
  'env-file': sharedOptions['env-file'],
  help: sharedOptions.help,
}
