/**
 * The pictures of the sample content: landscapes for headlines and marks for topics and sources, drawn here from a number each, so
 * that a new site shows pictures without a byte from elsewhere. They are PNG of at most sixteen colours, of a few kilobytes.
 */
import { crc32, deflateSync } from 'node:zlib'

const [SCENE_WIDTH, SCENE_HEIGHT, MARK_SIDE] = [480, 270, 96]
const [SKY, HILLS] = [9, 5]
const SUN = SKY + HILLS
/** Hues of sky and hills, in degrees: morning, noon, dusk, night, fog, autumn, sea, snow. */
const MOODS = [[28, 210], [205, 140], [340, 250], [230, 220], [190, 180], [45, 20], [195, 200], [210, 215]] as const

/** How many there are of each kind. */
export const SCENES = 16
export const MARKS = 16

/** A landscape under a sky, 480 x 270. */
export function drawScene(nth: number): Buffer {
  const random = numbersFrom(nth + 1)
  const [sky = 0, land = 0] = MOODS[nth % MOODS.length] ?? []
  const isNight = nth % MOODS.length === 3
  const horizon = 0.45 + 0.2 * random()
  const palette = [
    ...Array.from({ length: SKY }, (_, i) => colour(sky + 3 * i, isNight ? 45 : 60, (isNight ? 16 : 58) + (isNight ? 3 : 4) * i)),
    ...Array.from({ length: HILLS }, (_, i) => colour(land - 4 * i, 38, (isNight ? 24 : 62) - (isNight ? 4 : 10) * i)),
    colour(isNight ? 60 : sky + 20, isNight ? 20 : 90, 92),
  ]
  const ridges = Array.from({ length: HILLS }, (_, i) => ({
    base: horizon + i * 0.1,
    waves: [0, 1, 2].map((n) => ({ size: (0.09 - 0.01 * i) / (n + 1), pace: (1.2 + random() * 1.4) * (n + 1) * Math.PI, shift: random() * 7 })),
  }))
  const sun = { x: 0.2 + 0.6 * random(), y: horizon - 0.18 - 0.12 * random(), radius: 0.05 + 0.03 * random() }
  const tops = ridges.map(({ base, waves }) =>
    Array.from({ length: SCENE_WIDTH }, (_, x) => base + waves.reduce((sum, { size, pace, shift }) => sum + size * Math.sin((pace * x) / SCENE_WIDTH + shift), 0)),
  )
  return png(SCENE_WIDTH, SCENE_HEIGHT, palette, (x, y) => {
    const height = y / SCENE_HEIGHT
    for (let layer = HILLS - 1; layer >= 0; layer--) if (height > (tops[layer]?.[x] ?? 1)) return SKY + layer
    const [right, down] = [x / SCENE_HEIGHT - (sun.x * SCENE_WIDTH) / SCENE_HEIGHT, height - sun.y]
    if (right ** 2 + down ** 2 < sun.radius ** 2) return SUN
    return Math.min(SKY - 1, Math.floor((height / (horizon + 0.1)) * SKY))
  })
}

/** A sign of two colours on a third, 96 x 96. */
export function drawMark(nth: number): Buffer {
  const random = numbersFrom(nth + 101)
  const hue = (nth * 360) / MARKS
  const palette = [colour(hue, 45, 34), colour(hue + 30, 70, 72), colour(hue + 180, 25, 94)]
  const kind = nth % 4
  const tilt = random() * Math.PI
  return png(MARK_SIDE, MARK_SIDE, palette, (px, py) => {
    const [x, y] = [(2 * px) / MARK_SIDE - 1, (2 * py) / MARK_SIDE - 1]
    const distance = Math.hypot(x, y)
    const along = x * Math.cos(tilt) + y * Math.sin(tilt)
    if (kind === 0) return distance < 0.3 ? 2 : distance < 0.65 ? 1 : 0
    if (kind === 1) return Math.abs(along) < 0.18 ? 2 : along > 0 ? 1 : 0
    if (kind === 2) return Math.hypot(x - 0.35, y) < 0.45 ? 2 : Math.hypot(x + 0.35, y) < 0.45 ? 1 : 0
    return Math.abs(x) + Math.abs(y) < 0.35 ? 2 : Math.abs(x) + Math.abs(y) < 0.8 ? 1 : 0
  })
}

/** Numbers in [0, 1) that look random and are the same on every machine (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed * 0x9e3779b9
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Red, green and blue of a hue in degrees, with saturation and lightness in hundredths. */
function colour(hue: number, saturation: number, lightness: number): readonly number[] {
  const light = Math.min(100, lightness) / 100
  const spread = (saturation / 100) * Math.min(light, 1 - light)
  return [0, 8, 4].map((n) => {
    const at = (n + (((hue % 360) + 360) % 360) / 30) % 12
    return Math.round(255 * (light - spread * Math.max(-1, Math.min(at - 3, 9 - at, 1))))
  })
}

/** A PNG whose points are numbers of colours of the palette. */
function png(width: number, height: number, palette: readonly (readonly number[])[], pointAt: (x: number, y: number) => number): Buffer {
  const points = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) points[y * (width + 1) + 1 + x] = pointAt(x, y)
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0])
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  const chunks = [['IHDR', header], ['PLTE', Buffer.from(palette.flat())], ['IDAT', deflateSync(points, { level: 7 })], ['IEND', Buffer.alloc(0)]] as const
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks.flatMap(([type, data]) => chunk(type, data))])
}

function chunk(type: string, data: Buffer): readonly Buffer[] {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return [length, named, sum]
}
