import type { Config } from '../config.ts'
import { createMirror, noMirror } from '../net/mirror.ts'
import { warnFinding, passFinding, type DoctorFinding } from './doctor-finding.ts'

/** Servers of the catalog whose clocks are believed. */
const clockHosts = ['api.census.gov', 'hydro.nationalmap.gov', 'hazards.fema.gov']
const timeout_ms = 5000
/** A code of a login is good for a minute. */
const maxSkew_s = 30

/** Compares the clock of this machine with the Date that a source answers with. */
export async function checkClock({ offline, mirror }: Config): Promise<DoctorFinding> {
  if (offline) return passFinding('clock', 'Not compared: this server is offline.')
  const upstream = mirror === null ? noMirror : createMirror(mirror, () => true)
  for (const host of clockHosts) {
    const skew_s = await measureSkew(upstream.rewrite(new URL(`https://${host}/`)))
    if (skew_s === null) continue
    const message = `The clock of this machine is ${Math.abs(skew_s).toFixed(0)} s ${skew_s < 0 ? 'behind' : 'ahead of'} that of ${host}`
    return Math.abs(skew_s) <= maxSkew_s
      ? passFinding('clock', `${message}.`)
      : warnFinding(
          'clock',
          `${message}: tokens, logins and the expiry of runs go by it. Set it, and keep it set by NTP.`,
        )
  }
  return warnFinding(
    'clock',
    `None of ${clockHosts.join(', ')} said what time it is: look at the network, or set FIELDSTONE_OFFLINE=1.`,
  )
}

/** A Date has whole seconds: half a second later on average. */
async function measureSkew(address: URL): Promise<number | null> {
  try {
    const sent_ms = Date.now()
    // Not by the way out: an answer that refuses is thrown there without its headers, and here any answer tells the time.
    const { headers } = await fetch(address, {
      method: 'HEAD',
      redirect: 'manual',
      decompress: false,
      signal: AbortSignal.timeout(timeout_ms),
    })
    const server_ms = Date.parse(headers.get('date') ?? '')
    return Number.isNaN(server_ms) ? null : ((sent_ms + Date.now()) / 2 - server_ms - 500) / 1000
  } catch {
    return null // another host is asked
  }
}
