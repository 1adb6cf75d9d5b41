const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/

/** Returns the X-Request-ID of a request if it is valid, else a new UUIDv7. */
export function requestIdOf({ headers }: Request): string {
  const given = headers.get('x-request-id')
  return given !== null && requestIdPattern.test(given) ? given : Bun.randomUUIDv7()
}
