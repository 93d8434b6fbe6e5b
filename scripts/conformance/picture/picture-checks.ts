/**
 * `npm run conformance -- picture`: our reader of pictures before the test pictures of Python's Pillow 9.5.0, which are fetched from PyPI,
 * once, into dist/tools. Each that is taken must show the same pixels, cleaned, as before, in a Pillow of today. Those that are refused
 * must be the ones that are damaged on purpose.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Failure } from '../../../src/base/failure.ts'
import { readPicture } from '../../../src/media/read-picture.ts'
import { temporaryDirectory } from '../../tools/temporary-directory.ts'
import { requireNone, type CheckRun, type Conformance } from '../conformance.ts'
import { pythonTools, sourcePackage } from '../fetched-tools.ts'

const PACKAGE = { name: 'Pillow', version: '9.5.0', sha256: 'bf548479d336726d7a0eceb6e767e179fbde37833ae42794602631a070d630f1', folder: 'Tests/images' }
const TAKEN_MIN = 480
/** Damaged on purpose, cut off, too large, or animations whose frames do not add up. */
const REFUSED =
  /^(?:jpeg_ff00_header|junk_jpeg_header|photoshop-200dpi-broken|truncated_\w+|broken\w*|decompression_bomb|chunk_(?:no_actl|no_fctl|repeat_fctl)|syntax_num_frames_\w+)\./

/** Of PNG and WebP, notes that the picture is turned go as well: browsers do not agree on them. */
const TURNED = /\/(?:hopper_orientation_\d\.webp|exif_imagemagick_orientation\.png|xmp_tags_orientation\w*\.png) shows other pixels$/

/** Prints the lines of its input whose two files do not show the same; each has two paths. */
const COMPARE = String.raw`
import sys, warnings
from PIL import Image, ImageOps
warnings.simplefilter('ignore')
for line in sys.stdin:
    before, after = line.rstrip('\n').split('\t')
    try:
        one = Image.open(before)
        one.load()
    except Exception:
        continue
    try:
        pixels = [ImageOps.exif_transpose(image).convert('RGBA') for image in (one, Image.open(after))]
        if pixels[0].tobytes() != pixels[1].tobytes(): print(before, 'shows other pixels')
    except Exception as error: print(before, error)
`

export const PICTURE: Conformance = { checks: { pillow: checkPillow } }

function checkPillow({ cleanup, say }: CheckRun): void {
  const directory = sourcePackage(PACKAGE)
  const python = join(pythonTools({ name: 'pillow-of-today', packages: ['pillow'], probe: 'import PIL' }), 'python')
  const place = temporaryDirectory(cleanup)
  const [lines, problems]: [string[], string[]] = [[], []]
  let refused = 0
  for (const file of globSync(join(directory, '**/*.{jpg,jpeg,png,gif,webp,avif}'))) {
    try {
      const cleaned = join(place, String(lines.length))
      writeFileSync(cleaned, readPicture(readFileSync(file)).bytes)
      lines.push(`${file}\t${cleaned}\n`)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      refused++
      if (!REFUSED.test(basename(file))) problems.push(`${file}: ${error.message}`)
    }
  }
  const { stdout, stderr, status } = spawnSync(python, ['-c', COMPARE], { input: lines.join(''), encoding: 'utf8' })
  problems.push(...stdout.split('\n').filter((line) => line !== '' && !TURNED.test(line)), ...(status === 0 ? [] : [stderr]))
  if (lines.length < TAKEN_MIN) problems.push(`only ${lines.length} pictures were taken, expected ${TAKEN_MIN} or more`)
  say(`${lines.length} pictures taken, with the same pixels but for ${problems.length}; ${refused} refused`)
  requireNone(problems)
}
