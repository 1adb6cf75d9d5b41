import type { Config } from '../../config.ts'
import { createMirror, noMirror } from '../../net/mirror.ts'
import { warnFinding, passFinding, type DoctorFinding } from './doctor-finding.ts'

/** Hosts of the catalog whose Date header is used as the reference. */
const clockHosts = ['api.census.gov', 'hydro.nationalmap.gov', 'hazards.fema.gov']
const timeout_ms = 5000
/** A login code is valid for one minute. */
const maxSkew_s = 30

/** Compares the system clock with the Date header of a source. */
export async function checkClock({ offline, mirror }: Config): Promise<DoctorFinding> {
  if (offline) return passFinding('clock', 'Not checked: FIELDSTONE_OFFLINE=1.')
  const upstream = mirror === null ? noMirror : createMirror(mirror, () => true)
  for (const host of clockHosts) {
    const skew_s = await measureSkew(upstream.rewrite(new URL(`https://${host}/`)))
    if (skew_s === null) continue
    const message = `The system clock is ${Math.abs(skew_s).toFixed(0)} s ${skew_s < 0 ? 'behind' : 'ahead of'} the clock of ${host}`
    return Math.abs(skew_s) <= maxSkew_s
      ? passFinding('clock', `${message}.`)
      : warnFinding(
          'clock',
          `${message}. Tokens, logins and run expiry depend on the clock. Set the clock and enable NTP.`,
        )
  }
  return warnFinding(
    'clock',
    `The system clock could not be checked: none of ${clockHosts.join(', ')} returned a Date header. Check the network. If the server has no network, set FIELDSTONE_OFFLINE=1.`,
  )
}

/**
 * Returns the skew in seconds, or null if the host gave no date. A Date header is truncated to seconds, 500 ms on
 * average.
 */
async function measureSkew(address: URL): Promise<number | null> {
  try {
    const sent_ms = Date.now()
    // The outbound client throws on error responses and drops their headers. Here, any response has a usable Date.
    const { headers } = await fetch(address, {
      method: 'HEAD',
      redirect: 'manual',
      decompress: false,
      signal: AbortSignal.timeout(timeout_ms),
    })
    const server_ms = Date.parse(headers.get('date') ?? '')
    return Number.isNaN(server_ms) ? null : ((sent_ms + Date.now()) / 2 - server_ms - 500) / 1000
  } catch {
    return null // the caller tries the next host
  }
}
