/** What messages say about endpoints of the API, and what they say to an agent, which has tools. */
const hints: readonly (readonly [endpoint: string, tool: string])[] = [
  ['GET /v1/meta/fields lists both.', 'find_fields without a query lists the presets.'],
  ['GET /v1/meta/fields lists all fields.', 'find_fields finds fields by words.'],
  ['Use lat and lng with /v1/fetch, or send the text to /v1/lookup.', 'Use lat and lng, or lookup_location.'],
  ['Use POST /v1/fetch/batch or POST /v1/runs for this preset.', 'Use start_run for this preset.'],
  [', or use POST /v1/fetch/batch, where the fields of a preset do not count.', ', or use start_run.'],
]

/** Returns the JSON of an answer or an error with tools in place of endpoints. */
export function withToolHints(text: string): string {
  return hints.reduce((changed, [endpoint, tool]) => changed.replaceAll(endpoint, tool), text)
}
