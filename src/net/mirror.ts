/** How the publishers' addresses are reached: as they are, or all through one mirror. */
export type Mirror = {
  /** Where the publisher's address is asked for. */
  to(url: URL): URL
  /** Where a `Location` points, in the publisher's terms. */
  from(location: string, asked: URL): URL
}

/** Every address is asked for where it lies. */
export const noMirror: Mirror = { to: (url) => url, from: (location, asked) => new URL(location, asked) }

/** `https://name/path?q` is asked for at `MIRROR/name/path?q`. `isKnown`: the hosts a mirror may speak of in its own terms. */
export function mirrorAt(address: string, isKnown: (host: string) => boolean): Mirror {
  const root = new URL(address.endsWith('/') ? address : `${address}/`)
  const to = (url: URL) => new URL(`${root.href}${url.host}${url.pathname}${url.search}`)
  return {
    to,
    from(location, asked) {
      // Some mirrors rewrite a Location into their own terms and some hand on what the publisher said: `/name/path` or `/path`.
      const there = new URL(location, to(asked))
      const rest = there.href.startsWith(root.href) ? there.href.slice(root.href.length) : null
      const back = rest === null ? null : URL.parse(`https://${rest}`)
      return back && (back.host === asked.host || isKnown(back.host)) ? back : new URL(location, asked)
    },
  }
}
