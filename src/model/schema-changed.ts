import { UpstreamError } from './error.ts'

const namesShown = 30

/**
 * `schema_changed`: the publisher's data does not have what the field reads. `present`: the names that it has, if they
 * are known.
 */
export function schemaChangedError(missing: readonly string[], present: readonly string[]): UpstreamError {
  const names = present.slice(0, namesShown).join(', ')
  return new UpstreamError(
    'schema_changed',
    `The source no longer has ${missing.join(', ')}.${names === '' ? '' : ` It has ${names}.`} Report this to the operator of this server.`,
    { missing },
  )
}
