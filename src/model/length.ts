const meters = { m: 1, km: 1000, mi: 1609.344 } as const

/** Returns the meters of a text such as `500m`, `5km` or `3mi`; null for another text, and for a length of zero. */
export function parseLength_m(text: string): number | null {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(m|km|mi)$/.exec(text.trim().toLowerCase()) ?? []
  const length_m = Number(number) * (meters[unit as keyof typeof meters] ?? NaN)
  return length_m > 0 ? length_m : null
}
