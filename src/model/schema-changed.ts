import { UpstreamError } from './error.ts'

const namesShown = 30

/**
 * `schema_changed`: the publisher's data does not have what the field reads. `present` are the names that it has
 * instead.
 */
export function schemaChangedError(missing: readonly string[], present: readonly string[]): UpstreamError {
  const names = present.slice(0, namesShown).join(', ') || 'nothing'
  return new UpstreamError(
    'schema_changed',
    `The source no longer has ${missing.join(', ')}. It has ${names}. Report this to the operator of this server.`,
    { missing },
  )
}
