const hostsMax = 1000

/** Something that is kept for each host, made when it is first asked for. The host that was made first is forgotten when there are too many. */
export function perHost<T>(make: (host: string) => T) {
  const held = new Map<string, T>()
  return {
    known: (host: string): T | undefined => held.get(host),
    of(host: string): T {
      const found = held.get(host)
      if (found !== undefined) return found
      const made = make(host)
      const [oldest] = held.keys()
      if (held.size >= hostsMax && oldest !== undefined) held.delete(oldest)
      held.set(host, made)
      return made
    },
    forget: (host: string): void => void held.delete(host),
  }
}
