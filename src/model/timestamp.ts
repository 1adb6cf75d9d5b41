/** A time as the API writes it: UTC with an offset, never `Z`. */
export function formatTimestamp(time: Date): string {
  return time.toISOString().replace('Z', '+00:00')
}
