/**
 * An OAuth client. All clients are public. `verifiedHost` is the host of the client's metadata document; null for a
 * client that registered itself.
 */
export type OAuthClient = { id: string; name: string; redirect_uris: readonly string[]; verifiedHost: string | null }

const nameMax_characters = 100

/** Returns a client name for display: one line without invisible characters. */
export function cleanClientName(value: unknown, fallback: string): string {
  const name =
    typeof value === 'string'
      ? value
          .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
          .trim()
          .slice(0, nameMax_characters)
      : ''
  return name === '' ? fallback : name
}

const redirectUriMax_characters = 2000
/** Loopback hosts of clients on the same machine, with any port (RFC 8252, 7.3). */
const loopbackPattern = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?(?=[/?]|$)/

/** Reports whether a redirect_uri is allowed: https or loopback http, without a fragment or credentials. */
export function isRedirectUri(text: unknown): text is string {
  if (
    typeof text !== 'string' ||
    text.length > redirectUriMax_characters ||
    !/^[\x21-\x7e]+$/.test(text) ||
    text.includes('#') ||
    !URL.canParse(text)
  )
    return false
  const { protocol, username, password } = new URL(text)
  return username === '' && password === '' && (protocol === 'https:' || loopbackPattern.test(text))
}

/** Reports whether a URI equals a registered one. The port of a loopback URI may differ. */
export function isRegisteredRedirectUri(uri: string, registered: readonly string[]): boolean {
  return (
    isRedirectUri(uri) &&
    registered.some((it) => it === uri || (loopbackPattern.test(it) && withoutPort(it) === withoutPort(uri)))
  )
}

function withoutPort(address: string): string {
  return address.replace(loopbackPattern, 'http://$1')
}
