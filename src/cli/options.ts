import type { Option } from './page.ts'

/** The flags that several commands take. */
export const options = {
  data: { value: 'folder', says: 'where the state is kept (FIELDSTONE_DATA)', otherwise: './data', completes: 'files' },
  'env-file': { value: 'file', says: 'a file of NAME=value lines; what is set in the environment counts more. No such file is read unless it is named', completes: 'files' },
  at: { value: 'lat,lng', says: 'the place, in degrees, latitude first' },
  address: { value: 'address', says: 'the place, as a US street address' },
  fields: { value: 'a,b,…', says: 'fields, by name' },
  preset: { value: 'name', says: 'the fields of a preset' },
  json: { says: 'the answer as JSON, for a program' },
  server: { value: 'address', says: 'the server that is meant, such as https://fieldstone.example' },
  scopes: { value: 'a,b,…', says: 'what the account may do: some of fetch, geocode, lookup, parcel, ask, runs, admin', otherwise: 'all but parcel and admin' },
  help: { says: 'this page' },
} as const satisfies Record<string, Option>

/** Every command takes these. */
export const always: Readonly<Record<string, Option>> = { 'env-file': options['env-file'], help: options.help }
