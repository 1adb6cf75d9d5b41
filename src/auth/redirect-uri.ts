const redirectUriMax_characters = 2000
/** The loopback names that a client on the same machine may listen on, with any port: RFC 8252, 7.3. */
const loopbackPattern = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?(?=[/?]|$)/

/** Whether a client may be sent back there: https, or a loopback address; no fragment, no name and password. */
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

/** Whether an address is one of those registered: the same, letter by letter; of a loopback address the port may differ. */
export function isRegisteredRedirectUri(uri: string, registered: readonly string[]): boolean {
  return (
    isRedirectUri(uri) &&
    registered.some((it) => it === uri || (loopbackPattern.test(it) && withoutPort(it) === withoutPort(uri)))
  )
}

function withoutPort(address: string): string {
  return address.replace(loopbackPattern, 'http://$1')
}
