import { useEffect, useState } from 'preact/hooks'
import type { FieldResult } from '../../fetch/fetch-answer.ts'
import type { Point } from '../../model/place.ts'
import type { ApiClient } from '../api-client.ts'
import type { MapLine } from '../map/map-content.ts'
import { runRequest } from '../request-state.ts'
import { locateNearest } from './locate-nearest.ts'

/** A nearby feature whose distance a field reports. */
export type NearbyFeature = { field: string; distance_m: number; isLocal: boolean }

/** Returns the nearby feature of a distance field; null for other fields and for a distance of zero. */
export function nearbyFeatureOf(field: string, result: FieldResult | undefined): NearbyFeature | null {
  if (
    !field.endsWith('_distance_m') ||
    result?.status !== 'ok' ||
    typeof result.value !== 'number' ||
    result.value <= 0
  )
    return null
  return { field, distance_m: result.value, isLocal: result.driver === 'embedded' || result.driver === 'pack' }
}

/** Prevents requests for rows that the pointer only passes over. */
const hoverDelay_ms = 200

/**
 * Returns the line from a place to a nearby feature, or a circle at its distance while its position is unknown.
 * Positions are computed only from local data, because they take five more queries.
 */
export function useNearbyLines(api: ApiClient, at: Point | null, nearby: NearbyFeature | null): MapLine[] {
  const [located, setLocated] = useState<{ of: string; to: Point } | null>(null)
  const key = at && nearby ? `${at.lat},${at.lng} ${nearby.field}` : ''
  useEffect(() => {
    if (!at || !nearby?.isLocal) return
    const controller = new AbortController()
    const locate = async () => {
      const state = await runRequest(() => locateNearest(api, at, nearby, controller.signal)).catch(() => null)
      if (!controller.signal.aborted && state?.status === 'loaded' && state.value)
        setLocated({ of: key, to: state.value })
    }
    const timer = setTimeout(() => void locate(), hoverDelay_ms)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [key])
  if (!at || !nearby) return noLines
  return located?.of === key ? [{ from: at, to: located.to }] : [{ from: at, radius_m: nearby.distance_m }]
}

const noLines: MapLine[] = []
