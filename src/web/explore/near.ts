import { useEffect, useState } from 'preact/hooks'
import type { FieldResult } from '../../fetch/fetch-answer.ts'
import type { Api } from '../api.ts'
import { asked } from '../asked.ts'
import type { Point } from '../map/point.ts'
import type { ShownLine } from '../map/shown.ts'
import { nearPlace } from './near-place.ts'

/** Something near that a field tells the distance of. */
export type Near = { field: string; distance_m: number; isLocal: boolean }

/** What a field says of how far away something is; null when it says something else, or that it is right here. */
export function nearOf(field: string, result: FieldResult | undefined): Near | null {
  if (
    !field.endsWith('_distance_m') ||
    result?.status !== 'ok' ||
    typeof result.value !== 'number' ||
    result.value <= 0
  )
    return null
  return { field, distance_m: result.value, isLocal: result.driver === 'embedded' || result.driver === 'pack' }
}

/** Who only passes over a row asks nothing. */
const pause_ms = 200

/** The line from a place to what is near it, or the ring on which it lies. Only what this server knows by itself is asked where it is: five further questions to another server would be too many for a line. */
export function useNearLine(api: Api, at: Point | null, near: Near | null): ShownLine[] {
  const [found, setFound] = useState<{ of: string; to: Point } | null>(null)
  const key = at && near ? `${at.lat},${at.lng} ${near.field}` : ''
  useEffect(() => {
    if (!at || !near?.isLocal) return
    const given = new AbortController()
    const look = async () => {
      const answer = await asked(() => nearPlace(api, at, near, given.signal)).catch(() => null)
      if (!given.signal.aborted && answer?.state === 'here' && answer.value) setFound({ of: key, to: answer.value })
    }
    const timer = setTimeout(() => void look(), pause_ms)
    return () => {
      clearTimeout(timer)
      given.abort()
    }
  }, [key])
  if (!at || !near) return noLines
  return found?.of === key ? [{ from: at, to: found.to }] : [{ from: at, radius_m: near.distance_m }]
}

const noLines: ShownLine[] = []
