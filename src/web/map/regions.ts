/** A region that the map can jump to; the box is west, south, east, north. */
export type MapRegion = { name: string; title: string; box: readonly [number, number, number, number] }

/** The regions that do not fit on one map. */
export const mapRegions: readonly MapRegion[] = [
  { name: '48', title: 'The lower 48 states', box: [-124.8, 24.5, -66.9, 49.4] },
  { name: 'AK', title: 'Alaska', box: [-170, 53, -130, 71.4] },
  { name: 'HI', title: 'Hawaii', box: [-160.4, 18.8, -154.7, 22.3] },
  { name: 'PR', title: 'Puerto Rico and the US Virgin Islands', box: [-67.4, 17.6, -64.5, 18.6] },
  { name: 'GU', title: 'Guam and the Northern Mariana Islands', box: [144.5, 13.2, 146.1, 15.4] },
  { name: 'AS', title: 'American Samoa', box: [-171, -14.6, -169.3, -14.1] },
]
