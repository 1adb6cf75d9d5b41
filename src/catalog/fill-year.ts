/** A condition of the catalog with its `{year}`, `{year-10}` … filled in. */
export function fillYear(condition: string, year: number): string {
  return condition.replace(/\{year([+-]\d{1,3})?\}/g, (_match, shift: string | undefined) =>
    String(year + Number(shift ?? 0)),
  )
}
