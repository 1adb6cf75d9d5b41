/** Maps publisher URLs to request URLs: unchanged, or through a mirror. */
export type Mirror = {
  /** Returns the URL to request for a publisher URL. */
  rewrite(url: URL): URL
  /** Resolves a `Location` header to a publisher URL. */
  resolveLocation(location: string, requested: URL): URL
}

/** Requests every URL unchanged. */
export const noMirror: Mirror = {
  rewrite: (url) => url,
  resolveLocation: (location, requested) => new URL(location, requested),
}

/**
 * Requests `https://host/path?q` at `MIRROR/host/path?q`. `isKnownHost`: hosts that a mirrored `Location` may name in
 * its first segment.
 */
export function createMirror(baseUrl: string, isKnownHost: (host: string) => boolean): Mirror {
  const root = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`)
  const rewrite = (url: URL) => new URL(`${root.href}${url.host}${url.pathname}${url.search}`)
  return {
    rewrite,
    resolveLocation(location, requested) {
      // Some mirrors rewrite a Location to `/host/path`, others pass on the publisher's `/path`.
      const target = new URL(location, rewrite(requested))
      const suffix = target.href.startsWith(root.href) ? target.href.slice(root.href.length) : null
      const original = suffix === null ? null : URL.parse(`https://${suffix}`)
      return original && (original.host === requested.host || isKnownHost(original.host))
        ? original
        : new URL(location, requested)
    },
  }
}
