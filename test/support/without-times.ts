/** A JSON document without its members `fetched_at`, for answers that were made at different moments. */
export function withoutTimes<T>(document: T): T {
  return JSON.parse(JSON.stringify(document), (name, value: unknown) =>
    name === 'fetched_at' ? undefined : value,
  ) as T
}
