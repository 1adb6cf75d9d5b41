import { otherLabel } from '../../telemetry/metrics.ts'

/** Returns the path of an absolute URL, without a slash at its end, and without parsing all of it. */
export function pathOf(url: string): string {
  const begin = url.indexOf('/', url.indexOf('//') + 2)
  if (begin < 0) return '/'
  const query = url.indexOf('?', begin)
  const end = query < 0 ? url.length : query
  return url.slice(begin, end - begin > 1 && url[end - 1] === '/' ? end - 1 : end)
}

/** Returns a function from a path to its route pattern, such as `/v1/runs/:run_id`, or to `other`. */
export function createRouteMatcher(routes: readonly { path: string }[]): (path: string) => string {
  const exactPaths = new Set(routes.map(({ path }) => path).filter((path) => !/[:*]/.test(path)))
  const patterns = [...new Set(routes.map(({ path }) => path).filter((path) => /[:*]/.test(path)))].map(
    (path) => [new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`), path] as const,
  )
  return (path) => (exactPaths.has(path) ? path : (patterns.find(([pattern]) => pattern.test(path))?.[1] ?? otherLabel))
}

/** Returns a function from a path to its methods, undefined for an unknown path. */
export function methodsOf(routes: readonly { method: string; path: string }[]): (path: string) => string[] | undefined {
  const methods = new Map<string, string[]>()
  for (const { method, path } of routes)
    methods.set(path, [...new Set([...(methods.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])])])
  const patterns = [...methods]
    .filter(([path]) => path.includes(':'))
    .map(([path, allowed]) => [new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`), allowed] as const)
  return (path) => methods.get(path) ?? patterns.find(([pattern]) => pattern.test(path))?.[1]
}
