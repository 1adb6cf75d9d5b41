/** Returns the path of an absolute URL without parsing all of it. */
export function pathOf(url: string): string {
  const begin = url.indexOf('/', url.indexOf('//') + 2)
  const end = url.indexOf('?', begin)
  return begin < 0 ? '/' : url.slice(begin, end < 0 ? undefined : end)
}
