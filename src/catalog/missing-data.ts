/** What to get: a preset, fields or one dataset. */
type Selection = { preset: string } | { fields: readonly string[] } | { dataset: string }

/** The one command that gets data that this machine lacks. `places`: its flags that name them, such as `--area`. */
export function packFetchCommand(selection: Selection, places: string): string {
  if ('dataset' in selection) return `fieldstone pack fetch ${selection.dataset} ${places}`
  const flag = 'preset' in selection ? `--preset ${selection.preset}` : `--fields ${selection.fields.join(',')}`
  return `fieldstone pack fetch ${flag} ${places}`
}

/** What follows a command that gets data, the same in every interface. */
export const withoutNetworkText =
  'on a machine with a network, then `fieldstone pack export data.tar` there and `fieldstone pack import data.tar` here'

/** Says how to get data, as a part of a sentence. A machine with a network needs only the command. */
export function getDataText(command: string, isOffline: boolean): string {
  return isOffline ? `run \`${command}\` ${withoutNetworkText}` : `run \`${command}\``
}

/** The flags of `pack fetch` for the area of a place: its county, or the surroundings of the point. */
export function placesFlags(
  { lat, lng }: { lat: number; lng: number },
  { county, state }: { county?: unknown; state?: unknown },
): string {
  return typeof county === 'string' && typeof state === 'string'
    ? `--area "${county}, ${state}"`
    : `--at ${lat},${lng} --radius 5km`
}
