/** Where a question is asked. WGS 84 degrees, latitude first, as in the API. */
export type Point = { lat: number; lng: number }

/** The parts of the United States by which coverage is stated: 48 states and DC, Alaska, Hawaii and the five territories. */
export type Region = 'conus' | 'ak' | 'hi' | 'pr' | 'vi' | 'gu' | 'as' | 'mp'

/** A point, how we came to it, and the region it lies in (`null`: inside the envelope, yet not in the United States). */
export type Place = Point & { source: 'coordinate' | 'address'; region: Region | null }
