/** The pages of the dashboard: at each of these paths the server answers with the same document, and the dashboard shows the page. */
export const pagePaths = [
  '/',
  '/ask',
  '/runs',
  '/runs/:run_id',
  '/catalog',
  '/catalog/:field',
  '/sources',
  '/account',
  '/account/:part',
] as const

export type PagePath = (typeof pagePaths)[number]

/** Which page a path is, and what its parts are; null: none. */
export function pageOf(path: string): { page: PagePath; parts: Record<string, string> } | null {
  for (const page of pagePaths) {
    const parts = partsOf(page, path)
    if (parts) return { page, parts }
  }
  return null
}

function partsOf(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return null
  const parts: Record<string, string> = {}
  for (const [i, piece] of wanted.entries()) {
    const there = given[i]!
    if (!piece.startsWith(':')) {
      if (piece !== there) return null
      continue
    }
    const read = decoded(there)
    if (read === null || read === '') return null
    parts[piece.slice(1)] = read
  }
  return parts
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null // no UTF-8
  }
}
