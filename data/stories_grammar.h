/* The grammar of the built-in stories.
 *
 * A row is a rule: name, field names, options. Options are separated by |, an option's fields by /; `3*` before an
 * option is its weight (1 where none stands). In an option,
 *   {rule}         one of the rule's options
 *   {slot=rule}    one of the rule's options, kept in the slot for the rest of the story, nothing printed; while it is
 *                  kept, the option is out of every other choice
 *   {slot:rule}    the same, and its first field printed
 *   {slot}         what the slot keeps: its first field, with the choices that were made when it was printed
 *   {slot.field}   another field of it
 *   {^…}           the first letter printed is capital
 *   {a}            a or an, as the next word asks
 * Rules of words have a capital, so that {Hue} is any colour and {hue} the one that was kept. Fields are options too:
 * a field can name a rule, and so what a story says of a thing depends on what the thing is.
 *
 * All text must follow from one sequence of choices only: an option that prints nothing must be told by what is printed
 * later, and no two options of a rule may print the same. */
static const StoryRule story_rules[] = {
#include "stories_words.h"
#include "stories_plots.h"

{ "story", "", "{plot}{coda}\n\n" },
{ "plot", "",
  "{lost}|{cure}|{trade}|{race}|{mercy}|{treasure}|{mend}|{gift}|{broken}|{seed}|{post}|{seek}|{feast}" },

/* ---- the hero ---- */

{ "open", "",
  "{hero:Person} was {a} {aspect} {role:Role} from {a} {Sky} {town} {near}."
  "|{^a} {aspect} {role:Role} named {hero:Person} {lived} in {a} {Hue} {house} {near}."
  "|Once there was {a} {aspect} {role:Role}, {hero:Person} by name. {^hero.he} had {Num} {pets} and {a} {Hue} "
    "{house}."
  "|In {a} {Sky} {town} {near} lived {hero:Person}, {a} {aspect} {role:Role}."
  "|{hero:Person} the {role:Role} was {outer:Outer} and {Inner}. {^hero.he} {lived} with {Num} {pets} {near}."
  "|This is the tale of {hero:Person}, {a} {aspect} {role:Role} who {loved} {Fruit} {Bake} and {liking}."
  "|{^Num} hills away, {near}, lived {hero:Person}, {a} {aspect} {role:Role}." },
{ "aspect", "", "2*{outer:Outer}, {Inner}|{outer:Outer}|{outer:Outer} but {Inner}|{outer:Outer} and {Inner}" },
{ "town", "", "town|village|port|valley|hamlet" },
{ "house", "", "hut|tent|house|tower|barn|mill" },
{ "near", "", "by the sea|on a hill|by a lake|by a river|among {Tree} trees|under a cliff|on an island|in the south" },
{ "pets", "", "cats|hens|goats|ducks|dogs|geese|doves|mice" },
{ "liking", "", "songs|maps|walks|bells|snow|naps|rain|jokes" },
{ "subject", "", "4*{^hero.he}|3*{hero}|The {role}|The {outer} {role}" },
{ "very", "",
  "2*|very |rather |quite |always |known to be |said to be |often " },

/* ---- time, scenery, feelings, meals ---- */

{ "day", "",
  "One {Sky} {Part}|On {a} {Sky} {Weekday}|On {a} {Sky} day in {Month}|Late in {Month}|One {Sky} {Weekday} in {Month}"
  "|Early one {Sky} {Weekday}|One {Part} in {Month}" },
{ "hour", "", "8*{Num} o'clock|midnight|noon|dawn|dusk" },
#define SCENE(n) \
  " {^a} {Outer}, {Hue} {caller" n "=Caller}{caller" n "} {caller" n ".cried} {How}." \
  "| {^Amid}, {a} {Hue} {caller" n "=Caller}{caller" n "} {caller" n ".cried} {How}."
#define GOODS(n) \
  "{g" n "1:Good}, {g" n "2:Good}, {g" n "3:Good}, {g" n "4:Good}, {g" n "5:Good} and {g" n "6:Good}" \
  "|{g" n "1:Good}, {g" n "2:Good}, {g" n "3:Good} and {g" n "4:Good}" \
  "|{g" n "1:Good}, {g" n "2:Good}, {g" n "3:Good}, {g" n "4:Good} and {g" n "5:Good}"
#define GUESTS(n) \
  "{p" n "1:Person}, {p" n "2:Person}, {p" n "3:Person} and {p" n "4:Person}" \
  "|{p" n "1:Person}, {p" n "2:Person}, {p" n "3:Person}, {p" n "4:Person} and {p" n "5:Person}"
#define MENU(n) \
  "{d" n "1:Dish}, {d" n "2:Dish}, {d" n "3:Dish} and {d" n "4:Dish}" \
  "|{d" n "1:Dish}, {d" n "2:Dish}, {d" n "3:Dish}, {d" n "4:Dish} and {d" n "5:Dish}" \
  "|{d" n "1:Dish}, {d" n "2:Dish}, {d" n "3:Dish}, {d" n "4:Dish}, {d" n "5:Dish} and {d" n "6:Dish}"
{ "goods1", "", GOODS("1") },
{ "goods2", "", GOODS("2") },
{ "goods3", "", GOODS("3") },
{ "goods4", "", GOODS("4") },
{ "goods5", "", GOODS("5") },
{ "Sep", "", "2* |, |-" },
{ "song", "",
  "{^Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}"
  "|{^Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}"
  "|{^Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}{Sep}{Syl}" },
{ "guests1", "", GUESTS("1") },
{ "guests2", "", GUESTS("2") },
{ "menu1", "", MENU("1") },
{ "menu2", "", MENU("2") },
{ "habit", "",
  "2*{singing}|{singing} {^hero.his} {cousins} were {guests1}.|{singing} {^hero.he} sold {goods3}."
  "|{singing} {^hero.he} wore {a} {Worn}{Hue} {wear} and {Worn}{Hue} {feet}.|{singing} {^hero.his} {shelf} was full "
    "of {goods3}." },
{ "singing", "", "{^hero.he} often sang, \"{tune}!\"|{^hero.his} song was \"{tune}.\"|\"{tune}!\" was {hero.his} "
    "song." },
{ "tune", "",
  "{^k1:Syl}{Sep}{k2:Syl}{Sep}{k3:Syl}{Sep}{k4:Syl}{Sep}{k5:Syl}{Sep}{k6:Syl}{Sep}{k7:Syl}"
  "|{^k1:Syl}{Sep}{k2:Syl}{Sep}{k3:Syl}{Sep}{k4:Syl}{Sep}{k5:Syl}{Sep}{k6:Syl}{Sep}{k7:Syl}{Sep}{k8:Syl}"
  "|{^k1:Syl}{Sep}{k2:Syl}{Sep}{k3:Syl}{Sep}{k4:Syl}{Sep}{k5:Syl}{Sep}{k6:Syl}{Sep}{k7:Syl}{Sep}{k8:Syl}{Sep}"
    "{k9:Syl}" },
{ "coda", "", "8*| {hero} sang, \"{^k1} {k2} {k3} {k4}!\"| \"{^k1} {k2} {k3} {k4}!\" sang {hero}.| And {hero} was "
    "heard to sing, \"{^k1} {k2}, {k3} {k4}!\"" },
{ "cousins", "", "cousins|neighbours|teachers|friends" },
{ "shelf", "", "shelf|house|bag|cellar|cart" },
{ "feet", "", "boots|socks|gloves|mittens" },
{ "past", "", "past|by|along|up a hill|down the lane" },
{ "Tone", "", "red|blue|green|yellow|white|grey|pink|golden|silver|orange|violet|amber|crimson|pale" },
{ "scene", "", SCENE("1")
  "| It smelled of {scent1:Scent}, {scent2:Scent} and {scent3:Scent}.|2* {^Num} {Hue} {pets} {strolled} {past}."
  "| {^a} {Wind} wind shook the {Tree} trees.|6* {^a} cart with {goods1} {strolled} {past}." },
{ "sight", "", SCENE("2")
  "| Far off {a} {music} {rang} {How}.|2* The {heaven} was {Tone}, the {ground} {Sky}."
  "| {^a} {Tone} moon hung over {a} {Sky} {town}.|7* {^Person} sang, \"{song}!\"" },
{ "Wind", "", "cold|warm|mild|strong|soft|wild|wet|dry|sharp" },
{ "heaven", "",
  "sky|sea|river" },
{ "ground", "", "road|lane|path|field|street" },
{ "strolled", "", "ran|marched|crept|danced|hurried|wandered" },
{ "music", "", "bell|drum|flute|fiddle|horn|harp|clock" },
{ "rang", "", "rang|sounded|played" },
{ "who", "", "2*{a} {Outer}, {Inner} {Role}|the {Outer} {Role} {next}|{a} {Inner} {Role} from {a} {Sky} {town}|{a} "
    "{Outer} {Role}" },
{ "next", "", "next door|from the inn|over the road" },
{ "glad", "", "glad|happy|proud|pleased|merry|content" },
{ "sad", "", "sad|upset|in tears|glum" },
{ "oh", "", "Oh dear|Oh no|Alas|Dear me" },
{ "hooray", "", "Hurrah|At last|Look|Bravo" },
{ "hush", "", "Well|Listen|Cheer up|Wait|Easy|Now then" },
{ "treat", "",
  "They shared {menu1}."
  "|Then {guests2} came for {menu1}."
  "|For supper they had {menu1}."
  "|That {Part} they sang, \"{song}!\""
  "|{^guests2} ate {menu1} and sang until {hour}."
  "|It all ended with {menu1}." },

/* ---- words that mean nearly the same ---- */

{ "span", "", "hours|days|nights|weeks" },
{ "ages", "", "years|summers|winters|months" },
{ "so", "", "So|And so|In the end|That is how" },
{ "paused", "", "sat down to eat|stopped to eat|rested with|sat down with|stopped for|had a nap after" },
{ "dozed", "", "slept|dozed|lay down|took a nap|rested" },
{ "at_once", "", "at once|right away|there and then|that very hour" },
{ "left", "", "left|set out|went off|went away" },
{ "said", "", "3*said|called|cried|whispered|muttered" },
{ "cheered", "", "cried|shouted|laughed|sang|called|said" },
{ "sighed", "", "sighed|whispered|muttered|said|cried" },
{ "asked", "", "asked|wondered|whispered" },
{ "then", "", "Then|Soon|Now|Next|At once|Later" },
{ "met", "", "met|saw|ran into|came upon" },
{ "brought", "", "brought|carried|gave|offered|had" },
{ "went", "", "went|walked|ran|rode|hurried|marched|wandered" },
{ "lived", "", "lived|dwelt|stayed|slept" },
{ "ate", "", "had|enjoyed|tasted|finished" },
{ "saw", "", "saw|spied|found" },
{ "gave", "", "gave|offered|paid" },
{ "foundv", "", "found|saw|spied" },
{ "loved", "", "loved|liked|enjoyed|praised" },
{ "shared", "", "shared|tasted|made|bought|enjoyed" },
{ "merry", "", "merry|old|sweet|loud|silly|happy|new|long" },
};
