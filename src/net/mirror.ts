/** How the publishers' addresses are reached: as they are, or all through one mirror. */
export type Mirror = {
  /** Where the publisher's address is asked for. */
  rewrite(url: URL): URL
  /** Where a `Location` points, in the publisher's terms. */
  resolveLocation(location: string, requested: URL): URL
}

/** Every address is asked for where it lies. */
export const noMirror: Mirror = {
  rewrite: (url) => url,
  resolveLocation: (location, requested) => new URL(location, requested),
}

/** `https://name/path?q` is asked for at `MIRROR/name/path?q`. `isKnown`: the hosts a mirror may speak of in its own terms. */
export function createMirror(baseUrl: string, isKnownHost: (host: string) => boolean): Mirror {
  const root = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`)
  const rewrite = (url: URL) => new URL(`${root.href}${url.host}${url.pathname}${url.search}`)
  return {
    rewrite,
    resolveLocation(location, requested) {
      // Some mirrors rewrite a Location into their own terms and some hand on what the publisher said: `/name/path` or `/path`.
      const target = new URL(location, rewrite(requested))
      const suffix = target.href.startsWith(root.href) ? target.href.slice(root.href.length) : null
      const original = suffix === null ? null : URL.parse(`https://${suffix}`)
      return original && (original.host === requested.host || isKnownHost(original.host))
        ? original
        : new URL(location, requested)
    },
  }
}
