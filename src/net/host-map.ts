const hostsMax = 1000

/**
 * Creates a map of up to 1,000 hosts. Entries are created on first access; when the map is full, the oldest entry is
 * removed.
 */
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
