const hostsMax = 1000

/** Something that is kept for each host, made when it is first asked for. The host that was made first is forgotten when there are too many. */
export function createHostMap<T>(create: (host: string) => T) {
  const entries = new Map<string, T>()
  return {
    find: (host: string): T | undefined => entries.get(host),
    getOrCreate(host: string): T {
      const existing = entries.get(host)
      if (existing !== undefined) return existing
      const created = create(host)
      const [oldest] = entries.keys()
      if (entries.size >= hostsMax && oldest !== undefined) entries.delete(oldest)
      entries.set(host, created)
      return created
    },
    forget: (host: string): void => void entries.delete(host),
  }
}
