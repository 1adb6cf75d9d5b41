/** The paths of the dashboard. The server answers each with the same HTML document, which then shows the page. */
export const pagePaths = [
  '/',
  '/areas',
  '/ask',
  '/runs',
  '/runs/:run_id',
  '/catalog',
  '/catalog/:field',
  '/coverage',
  '/sources',
  '/account',
  '/account/:part',
] as const

export type PagePath = (typeof pagePaths)[number]

/** Returns the page of a path and its path parameters, or null when no page matches. */
export function matchPage(path: string): { page: PagePath; parts: Record<string, string> } | null {
  for (const page of pagePaths) {
    const parts = matchParts(page, path)
    if (parts) return { page, parts }
  }
  return null
}

function matchParts(pattern: string, path: string): Record<string, string> | null {
  const [patternParts, pathParts] = [pattern.split('/'), path.split('/')]
  if (patternParts.length !== pathParts.length) return null
  const parts: Record<string, string> = {}
  for (const [i, patternPart] of patternParts.entries()) {
    const pathPart = pathParts[i]!
    if (!patternPart.startsWith(':')) {
      if (patternPart !== pathPart) return null
      continue
    }
    const value = decodePart(pathPart)
    if (value === null || value === '') return null
    parts[patternPart.slice(1)] = value
  }
  return parts
}

function decodePart(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null // invalid percent-encoding
  }
}
