import counties from 'made:base-counties.json' with { type: 'file' }
import states from 'made:base-states.json' with { type: 'file' }
import near from 'made:base-near.json' with { type: 'file' }
import neighbors from 'made:base-neighbors.json' with { type: 'file' }
import labels from 'made:base-labels.json' with { type: 'file' }
import { feature, mesh } from 'topojson-client'
import type { BaseData } from './map-content.ts'

type Topology = { objects: Record<string, unknown> }
type Labels = {
  states: [name: string, short: string, lng: number, lat: number][]
  towns: [name: string, state: string, population: number, lng: number, lat: number][]
}
type StateBoundaries = { outline: object; inner: object; water: object }

/** Reads what the map shows from the start: the US, its neighbors with their lakes, state borders and labels. */
export async function readBaseData(): Promise<{ data: BaseData; states: StateArea[] }> {
  const [topology, names, others] = await Promise.all([
    readJson<Topology>(states),
    readJson<Labels>(labels),
    readJson<Topology>(neighbors),
  ])
  const object = topology.objects.states
  const land = feature(topology, object)
  const data = {
    land,
    neighbors: feature(others, others.objects.neighbors),
    'neighbor-lakes': feature(others, others.objects.lakes),
    'inland-water': feature(others, others.objects.inland),
    'state-lines': mesh(topology, object, (a, b) => a !== b),
    coast: mesh(topology, object, (a, b) => a === b),
    'state-names': pointCollection(names.states.map(([name, short, lng, lat]) => ({ lng, lat, name, short }))),
    towns: pointCollection(names.towns.map(([name, , population, lng, lat]) => ({ lng, lat, name, population }))),
  }
  return { data, states: land.features.map(({ id = '', geometry }) => ({ id, box: boxOf(geometry.coordinates) })) }
}

/**
 * A state and its bounding box: west, south, east, north. For Alaska, which crosses the antimeridian, it spans the
 * globe.
 */
export type StateArea = { id: string; box: [number, number, number, number] }

function boxOf(coordinates: unknown): StateArea['box'] {
  const positions = (coordinates as unknown[]).flat(3) as number[]
  const [lngs, lats] = [0, 1].map((axis) => positions.filter((_, i) => i % 2 === axis)) as [number[], number[]]
  const min = (all: number[]) => all.reduce((a, b) => Math.min(a, b), Infinity)
  const max = (all: number[]) => all.reduce((a, b) => Math.max(a, b), -Infinity)
  return [min(lngs), min(lats), max(lngs), max(lats)]
}

/** Reads the county borders. Called when the map is zoomed in. */
export async function readCountyLines(): Promise<BaseData> {
  const topology = await readJson<Topology>(counties)
  return { 'county-lines': mesh(topology, topology.objects.counties, (a, b) => a !== b) }
}

/** Reads the URLs of the detailed boundaries by state FIPS code. */
export function readBoundaryUrls(): Promise<Record<string, string>> {
  return readJson<Record<string, string>>(near)
}

/** Reads the detailed boundaries of one state: its outline, its inner county borders, and its lakes and rivers. */
export async function readStateBoundaries(url: string): Promise<StateBoundaries> {
  const { water, ...topology } = await readJson<Topology & { water: Topology }>(url)
  const object = topology.objects.counties
  return {
    outline: mesh(topology, object, (a, b) => a === b),
    inner: mesh(topology, object, (a, b) => a !== b),
    water: feature(water, water.objects.water),
  }
}

async function readJson<T>(url: string): Promise<T> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`)
  return response.json() as Promise<T>
}

function pointCollection(all: ({ lng: number; lat: number } & Record<string, string | number>)[]) {
  return {
    type: 'FeatureCollection',
    features: all.map(({ lng, lat, ...properties }) => ({
      type: 'Feature',
      properties,
      geometry: { type: 'Point', coordinates: [lng, lat] },
    })),
  }
}
