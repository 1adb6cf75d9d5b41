const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/

/** The id of a request: the one it came with, if that is fit to be written anywhere; else one is made. */
export function requestIdOf({ headers }: Request): string {
  const given = headers.get('x-request-id')
  return given !== null && requestIdPattern.test(given) ? given : Bun.randomUUIDv7()
}
