/** What messages say about endpoints and pages of a server, and what they say when there is no server. */
const hintsWithoutServer: readonly (readonly [onServer: string, withoutServer: string])[] = [
  ['Name at least one field in `fields`, or a `preset`.', 'Use --fields or --preset.'],
  ['GET /v1/meta/fields lists both.', '`fieldstone fields` and `fieldstone presets` list them.'],
  ['GET /v1/meta/fields lists all presets.', '`fieldstone presets` lists all presets.'],
  ['GET /v1/meta/fields lists all fields.', '`fieldstone fields` lists all fields.'],
  ['Use lat and lng with /v1/fetch, or send the text to /v1/lookup.', 'Use `fieldstone lookup`.'],
  ['See /guide/packs-and-offline#download-a-pack.', 'See `fieldstone help pack`.'],
  ['See /guide/packs-and-offline#make-the-packs-of-an-area.', 'See `fieldstone help pack`.'],
  ['See /guide/packs-and-offline#what-cannot-be-copied.', 'See `fieldstone help pack`.'],
  ['See /guide/addresses#geocoding.', 'See `fieldstone help pack`.'],
  ['See /guide/fields-and-presets#keys.', 'See `fieldstone help settings`.'],
]
const tokenHint =
  'Send `Authorization: Bearer <token>`. The first start printed the owner token; `fieldstone token new` creates another.'

/**
 * Returns the text of an answer with hints for the command line: commands instead of endpoints, flags instead of
 * headers.
 */
export function withCommandHints(text: string, server: string | null): string {
  if (server !== null) return text.replace(tokenHint, `Run \`fieldstone login --server ${server}\`, or set --token.`)
  return hintsWithoutServer.reduce(
    (changed, [onServer, withoutServer]) => changed.replaceAll(onServer, withoutServer),
    text,
  )
}

/** Returns a text about a file with flags instead of the parameters of a request: `--header-row` for `header_row`. */
export function withFlagNames(text: string): string {
  return text.replace(/`([a-z_]+)`/g, (_, name: string) => `--${name.replaceAll('_', '-')}`)
}
