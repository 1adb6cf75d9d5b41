import { useEffect, useState } from 'preact/hooks'
import type { DrawnFeature, FetchAnswer, FieldResult } from '../../fetch/fetch-answer.ts'
import type { Point } from '../../model/place.ts'
import type { ApiClient } from '../api-client.ts'
import { runRequest } from '../request-state.ts'

/** Prevents requests for rows that the pointer only passes over. */
const hoverDelay_ms = 150
const rememberedMax = 100
const noShapes: DrawnFeature[] = []

/** The fields whose shapes the map shows: the one that the pointer or the focus is on, else the one that was opened. */
export type ShownField = { pointed: string | null; opened: string | null }

/** The shapes of a field at a place; `error` says why the source did not send them. */
export type FieldShapes = { field: string; shapes: DrawnFeature[]; error: string | null }

/** Reports whether the shapes of a result are on this server, so that pointing at it calls no publisher. */
export function hasLocalShapes(result: FieldResult | undefined): boolean {
  return result !== undefined && result.status !== 'failed' && ['embedded', 'pack'].includes(result.driver ?? '')
}

/** Returns the shapes that a field was read from; null while there is no field, and until they have arrived. */
export function useFieldShapes(api: ApiClient, at: Point | null, field: string | null): FieldShapes | null {
  const [remembered, setRemembered] = useState<ReadonlyMap<string, FieldShapes>>(new Map())
  const key = at && field !== null ? `${at.lat},${at.lng} ${field}` : ''
  const known = remembered.get(key)
  useEffect(() => {
    if (!at || field === null || known) return
    const controller = new AbortController()
    const load = async () => {
      const loaded = await readShapes(api, at, field, controller.signal)
      if (loaded && !controller.signal.aborted)
        setRemembered((before) => new Map([...before, [key, loaded] as const].slice(-rememberedMax)))
    }
    const timer = setTimeout(() => void load(), hoverDelay_ms)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [key, known])
  return known ?? null
}

async function readShapes(api: ApiClient, at: Point, field: string, signal: AbortSignal): Promise<FieldShapes | null> {
  const body = { ...at, fields: [field], include: ['geometry'] }
  const state = await runRequest(() => api.post<FetchAnswer>('/v1/fetch', body, signal)).catch(() => null)
  if (!state || state.status === 'loading') return null
  if (state.status === 'failed') return { field, shapes: noShapes, error: state.error.message }
  const result = state.value.fields[field]
  return { field, shapes: result?.geometry?.features ?? noShapes, error: result?.geometry_error ?? null }
}
