import places from './ten-places.json' with { type: 'json' }

/**
 * Ten well-known places and their values in the embedded layers: county, time zone, nearest public airport, nearest
 * populated place (a section of a city counts), and meters to the ocean coast of OpenStreetMap if it is near.
 */
export const tenPlaces = places
