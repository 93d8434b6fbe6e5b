/** Whether the colours of the dashboard can be told apart, in light and dark (WCAG 2.2, 1.4.3 and 1.4.11). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const TOKENS = readFileSync(join(import.meta.dirname, '../../src/dashboard/styles/tokens.css'), 'utf8')
const GROUNDS = ['ground', 'surface', 'raised', 'sunken', 'hover'] as const

/** What a token is in light (1) and in dark (2). */
function colorOf(token: string, theme: 1 | 2): string {
  const found = new RegExp(`--${token}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(TOKENS)?.[theme]
  assert.ok(found, `no token ${token}`)
  return found
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe('the contrast of a colour', () => {
  for (const [front, grounds, least] of [
    ['ink', GROUNDS, 4.5],
    ['soft', GROUNDS, 4.5],
    ['accent', [...GROUNDS, 'accent-tint'], 4.5],
    ['danger', ['ground', 'surface', 'raised', 'danger-tint'], 4.5],
    ['good', ['surface', 'good-tint'], 4.5],
    ['warn', ['surface', 'warn-tint'], 4.5],
    ['on-accent', ['accent', 'accent-strong'], 4.5],
    ['on-danger', ['danger'], 4.5],
    ['edge', ['ground', 'surface', 'raised'], 3],
    ['focus', GROUNDS, 3],
  ] as const) {
    it(`${front} is at least ${least} on ${grounds.join(', ')}`, () => {
      for (const ground of grounds) {
        for (const theme of [1, 2] as const) {
          const found = contrast(colorOf(front, theme), colorOf(ground, theme))
          assert.ok(found >= least, `${found.toFixed(2)} on ${ground}, ${theme === 1 ? 'light' : 'dark'}`)
        }
      }
    })
  }
})
