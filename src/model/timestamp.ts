/** Formats a time as the API does: ISO 8601 in UTC with the offset `+00:00`, never `Z`. */
export function formatTimestamp(time: Date): string {
  return time.toISOString().replace('Z', '+00:00')
}
