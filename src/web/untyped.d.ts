/** Files served unchanged; the import is their URL. */
declare module 'maplibre-gl/dist/maplibre-gl-worker.mjs' {
  const address: string
  export default address
}
declare module 'maplibre-gl/dist/maplibre-gl.css' {
  const address: string
  export default address
}
/** Text that is bundled unchanged. */
declare module '*.md' {
  const text: string
  export default text
}
declare module 'made:*' {
  const address: string
  export default address
}
declare module 'topojson-client' {
  type Geometry = { type: string; coordinates: unknown }
  type Feature = { type: 'Feature'; id?: string; properties: Record<string, string>; geometry: Geometry }
  export function feature(topology: unknown, object: unknown): { type: 'FeatureCollection'; features: Feature[] }
  export function mesh(topology: unknown, object: unknown, filter?: (a: unknown, b: unknown) => boolean): Geometry
}
