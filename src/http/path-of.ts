/** The path of an absolute address, without the cost of a URL. */
export function pathOf(url: string): string {
  const begin = url.indexOf('/', url.indexOf('//') + 2)
  const end = url.indexOf('?', begin)
  return begin < 0 ? '/' : url.slice(begin, end < 0 ? undefined : end)
}
