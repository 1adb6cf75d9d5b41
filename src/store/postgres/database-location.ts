/** Where a PostgreSQL database is. */
export type DatabaseLocation = {
  /** The address without user, password and parameters, for messages. */
  readonly address: string
  /** The setting or flag that has the URL, for messages. */
  readonly setting: string
  /** The complete URL, which can contain a password. It is a function, so that printing the settings does not show it. */
  url(): string
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full']
/** The parameters of the URL, with their values; null: any value. */
const parameters = new Map<string, readonly string[] | null>([
  ['sslmode', sslModes],
  ['sslrootcert', null],
  ['prepare', ['true', 'false']],
])

/** Reads the URL of a PostgreSQL database from a setting or flag. The problem does not show the URL, because it can contain a password. */
export function readDatabaseLocation(
  setting: string,
  text: string,
): { location: DatabaseLocation } | { problem: string } {
  const example = 'Use a URL such as postgres://user:password@host:5432/database'
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text))
    return {
      problem: `${setting} is not the URL of a PostgreSQL database. ${example}, with special characters of the password percent-encoded.`,
    }
  const { hostname, host, pathname, searchParams } = new URL(text)
  if (hostname === '' || !/^\/[^/]+$/.test(pathname))
    return { problem: `${setting} has no ${hostname === '' ? 'host' : 'database name'}. ${example}.` }
  for (const [name, value] of searchParams) {
    const values = parameters.get(name)
    if (values === undefined)
      return {
        problem: `${setting} has an unknown parameter ${JSON.stringify(name)}. Use ${[...parameters.keys()].join(', ')}.`,
      }
    if (values && !values.includes(value))
      return { problem: `${setting} has an invalid value of ${name}. Use ${values.join(' or ')}.` }
  }
  return { location: { address: `postgres://${host}${pathname}`, setting, url: () => text } }
}
