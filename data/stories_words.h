/* The words of the stories: people, creatures, things, places, food, weather. The notation is in stories_grammar.h. */
#define SHE "/she/her/her/girl/{she_kin}"
#define HE "/he/him/his/boy/{he_kin}"
#define IT "/it/it/was/{a}/this"
#define THEY "/they/them/were/some/these"

#define GROUNDS \
  "the orchard/in the orchard/{spot=orchard_spot}|the beach/on the beach/{spot=beach_spot}" \
  "|the garden/in the garden/{spot=garden_spot}|the pond/by the pond/{spot=pond_spot}" \
  "|the forest/in the forest/{spot=forest_spot}|the meadow/in the meadow/{spot=meadow_spot}"

#define STORY_WORDS \
{ "Person", "name he him his child kin", \
  "Ada" SHE "|Amy" SHE "|Anna" SHE "|Bea" SHE "|Beth" SHE "|Cleo" SHE "|Cora" SHE "|Dora" SHE "|Edda" SHE "|Ella" SHE \
  "|Elsa" SHE "|Emma" SHE "|Etta" SHE "|Eva" SHE "|Fay" SHE "|Fern" SHE "|Gwen" SHE "|Hana" SHE "|Ida" SHE "|Ina" SHE \
  "|Iris" SHE "|Ivy" SHE "|Jane" SHE "|Joan" SHE "|Kate" SHE "|Kim" SHE "|Lena" SHE "|Lila" SHE "|Lucy" SHE "|Lulu" SHE \
  "|Mara" SHE "|Mia" SHE "|Mina" SHE "|Nan" SHE "|Nell" SHE "|Nina" SHE "|Nora" SHE "|Olga" SHE "|Pam" SHE "|Pia" SHE \
  "|Rosa" SHE "|Ruth" SHE "|Sara" SHE "|Suki" SHE "|Tess" SHE "|Tina" SHE "|Una" SHE "|Vera" SHE "|Wanda" SHE "|Zoe" SHE \
  "|Abe" HE "|Adam" HE "|Amos" HE "|Arlo" HE "|Ben" HE "|Bert" HE "|Bob" HE "|Boris" HE "|Bruno" HE "|Carl" HE \
  "|Dan" HE "|Earl" HE "|Eli" HE "|Emil" HE "|Erik" HE "|Ezra" HE "|Felix" HE "|Finn" HE "|Gil" HE "|Gus" HE \
  "|Hans" HE "|Hugo" HE "|Ian" HE "|Ivan" HE "|Jack" HE "|Jim" HE "|Joe" HE "|Jon" HE "|Karl" HE "|Ken" HE \
  "|Lars" HE "|Leo" HE "|Luke" HE "|Max" HE "|Milo" HE "|Ned" HE "|Nils" HE "|Noah" HE "|Olaf" HE "|Omar" HE \
  "|Otto" HE "|Owen" HE "|Paul" HE "|Pete" HE "|Rob" HE "|Sam" HE "|Seth" HE "|Ted" HE "|Tim" HE "|Tom" HE \
  "|Udo" HE "|Vic" HE "|Walt" HE "|Wim" HE "|Yuri" HE "|Zeke" HE }, \
{ "she_kin", "", "sister|aunt|cousin|niece" }, \
{ "he_kin", "", "brother|uncle|cousin|nephew" }, \
{ "Elder", "", "aunt|uncle|granny|grandpa|mother|father" }, \
\
/* Who a person is, and what such a one brings when there is something to be built. */ \
{ "Role", "name gives", \
  "baker/bread|miller/flour|weaver/rope|potter/tiles|tailor/cloth|farmer/straw|fisher/nets|sailor/sails|smith/nails" \
  "|painter/paint|gardener/twigs|hatter/felt|cobbler/leather|mason/stones|cook/soup|beekeeper/wax|carpenter/planks" \
  "|goatherd/milk|glazier/glass|tinker/tin|cooper/hoops|grocer/jam|badger/earth|beaver/logs|hare/grass|hedgehog/pins" \
  "|mole/pebbles|otter/reeds|squirrel/nuts|toad/mud|mouse/string|rabbit/carrots|goose/feathers|bear/honey|crab/sand" }, \
{ "Outer", "", \
  "tall|small|young|old|thin|plump|round|tiny|big|stout|short|lean|neat|scruffy|sturdy|slim|spry|dusty|ragged|pale|lanky" \
  "|broad|freckled|elegant|fat|strong|quick|slow|loud|bald|fair|dark|hairy|rosy|little|mighty|dapper|shabby|weary|nimble" }, \
{ "Inner", "", \
  "merry|quiet|gentle|dreamy|witty|polite|jolly|calm|lively|friendly|sleepy|modest|sunny|odd|earnest|shy|curious|funny" \
  "|cheerful|solemn|grumpy|moody|loyal|clever|dull|bright|warm|silly|hungry|busy|idle|fussy|noisy|chatty|pensive|playful" }, \
{ "Hue", "", \
  "red|blue|green|yellow|white|black|brown|grey|pink|golden|silver|purple|orange|violet|scarlet|striped|spotted|painted" \
  "|amber|ivory|crimson|indigo|rusty|gaudy" }, \
{ "Worn", "", \
  "5*|old |new |fine |plain |lovely |shiny |tiny |handy |odd |humble |big |small |round |long |thin |soft |rare |warm |clean " \
  "|heavy |light |sturdy |pretty |ugly |cheap |dear |dusty " }, \
{ "Thing", "name it them was some this", \
  "kite" IT "|ball" IT "|drum" IT "|flute" IT "|hat" IT "|scarf" IT "|cup" IT "|spoon" IT "|bell" IT "|lamp" IT "|book" IT \
  "|map" IT "|ring" IT "|doll" IT "|basket" IT "|bucket" IT "|fan" IT "|comb" IT "|brush" IT "|mirror" IT "|ribbon" IT \
  "|purse" IT "|compass" IT "|whistle" IT "|umbrella" IT "|apron" IT "|belt" IT "|vase" IT "|jug" IT "|clock" IT \
  "|box" IT "|boots" THEY "|gloves" THEY "|skates" THEY "|beads" THEY "|socks" THEY "|marbles" THEY "|mittens" THEY }, \
\
/* Where; at; and a spot there, which the story keeps. Things grow on the grounds. */ \
{ "Ground", "name at hide", GROUNDS }, \
{ "Place", "name at hide", \
  GROUNDS "|the harbour/at the harbour/{spot=harbour_spot}|the barn/in the barn/{spot=barn_spot}" \
  "|the library/in the library/{spot=library_spot}|the station/at the station/{spot=station_spot}" \
  "|the inn/at the inn/{spot=inn_spot}|the tower/in the tower/{spot=tower_spot}" \
  "|the market/at the market/{spot=market_spot}|the bridge/at the bridge/{spot=bridge_spot}" }, \
{ "orchard_spot", "", "under a pear tree|behind the ladder|by the gap in the hedge|near the beehives|by the gate" }, \
{ "beach_spot", "", "in the sand|behind a rock|under the pier|by the cliff|near the lighthouse" }, \
{ "garden_spot", "", "under the fig tree|behind the shed|among the beans|beside the pump|by the sundial" }, \
{ "pond_spot", "", "among the reeds|under a willow|behind the duck house|beside the jetty|near a flat stone" }, \
{ "forest_spot", "", "under an oak|behind a fallen log|among the ferns|beside a spring|by the ant hill" }, \
{ "meadow_spot", "", "in the long grass|behind a haystack|under an elm|by the brook|beside a fence" }, \
{ "harbour_spot", "", "behind a coil of rope|under a boat|by the anchor|beside the crane|near the fish crates" }, \
{ "barn_spot", "", "in the hay|behind the plough|under the cart|beside the milk cans|by the ladder" }, \
{ "library_spot", "", "under a desk|behind the maps|by the globe|beside the ladder|near the stove" }, \
{ "station_spot", "", "under a bench|beside the clock|behind the trunks|by the door|near the pump" }, \
{ "inn_spot", "", "under the long table|behind the barrels|by the fire|beside the harp|near the back door" }, \
{ "tower_spot", "", "on the stairs|behind the bell|under the window|beside a broom|by the old clock" }, \
{ "market_spot", "", "behind the fish stall|under a cart|beside the well|by the cheese stall|near the scales" }, \
{ "bridge_spot", "", "under the arch|behind the toll hut|by the stone lion|beside the lamp|on the steps" }, \
{ "Nook", "", \
  "under the bed|behind the clock|in the attic|in the cellar|under the stairs|behind the door|on the roof|in the pantry" \
  "|by the stove|behind the curtain|under the table|in the bathtub|in the wardrobe|behind the sofa|in the kitchen|in the hall" }, \
\
{ "Num", "", "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve" }, \
{ "Fruit", "", \
  "plum|pear|apple|cherry|fig|peach|lemon|melon|date|almond|orange|walnut|nut|ginger|honey|bean" }, \
{ "Fruits", "", \
  "plums|pears|apples|cherries|figs|peaches|lemons|melons|dates|nuts|eggs|buns|beans|carrots|onions|leeks|peas" }, \
{ "Bake", "", "cake|pie|tart|pudding|pancake|bun|loaf|jelly" }, \
{ "Vessel", "", "jar|cup|bowl|pot|jug|bottle|pan" }, \
{ "Drink", "", \
  "honey|milk|jam|tea|soup|cider|cocoa|cream|water|juice" }, \
{ "Mass", "", \
  "cheese|bread|butter|rice|corn|ham|salt|toast|cake|soap" }, \
{ "Taste", "", "warm |sweet |fresh |soft |crisp |ripe |cold |plain |sour |tasty " }, \
{ "Food", "", \
  "3*{a} {Fruit} {Bake}|2*{Num} {Fruits}|2*{a} {Vessel} of {Drink}|some {Taste}{Mass}|{Num} {Taste}{Fruits}" \
  "|{a} {Taste}{Fruit} {Bake}" }, \
{ "Herb", "", \
  "mint|thyme|sage|nettle|ginger|clover|fennel|basil|lilac|dill" }, \
{ "Month", "", "January|February|March|April|May|June|July|August|September|October|November|December" }, \
{ "Weekday", "", "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday" }, \
{ "Sky", "", "windy|wet|misty|sunny|mild|grey|still|bright|cool|cloudy|clear|breezy|rainy|quiet|dull|fine|damp|hazy|dark|crisp|gloomy|stormy|lovely|dim" }, \
{ "Part", "", "morning|evening|afternoon|noon|day" }, \
{ "Scent", "", \
  "mint|hay|smoke|rain|salt|honey|roses|pine|bread|apples|thyme|mud|soap|tar|moss|lilac|tea|ink|wax|cake|leeks|figs" }, \
{ "Tree", "", "oak|elm|ash|pine|birch|willow|lime|holly|cedar" }, \
{ "Caller", "name cried", \
  "owl/hooted|hen/clucked|goat/bleated|cow/mooed|duck/quacked|crow/cawed|robin/sang|frog/croaked|cat/purred|dog/barked" \
  "|pony/neighed|donkey/brayed|lamb/bleated|bee/hummed|dove/cooed|rooster/crowed|pig/grunted|cricket/chirped|wren/chirped" \
  "|goose/honked|wolf/howled|lark/sang|fly/hummed|bull/snorted" }, \
{ "How", "", "softly|loudly|twice|sadly|gladly|sweetly|all day|once|far off|in vain|three times|for joy" }, \
{ "Amid", "", \
  "behind {a} {Tree}|on a roof|in {a} {Tree}|by a gate|near a well|on a wall|in the mist|under {a} {Tree}|in the lane" \
  "|beside a ditch|in the yard" }, \
{ "Good", "", \
  "figs|plums|pears|eggs|nuts|ham|tea|rice|milk|salt|oil|jam|corn|peas|soup|bread|beans|honey|cider|leeks|dates|wool|soap" \
  "|rope|nails|paint|ink|wax|hay|lace|silk|tin|coal|clay|glue|string|pins|flour|cream|butter|cheese|mint|sage|thyme" \
  "|buttons|paper|beads|socks|gloves|boots|hats|cups|spoons|bells|drums|maps|books|lamps|kites|fans|combs|rings|balls|belts" }, \
{ "Dish", "", \
  "figs|plums|pears|eggs|nuts|ham|tea|rice|milk|jam|corn|peas|soup|bread|beans|honey|cider|leeks|dates|cake|cheese|toast" \
  "|buns|pie|cocoa|melon|cream|apples|carrots|onions|juice|pancakes" }, \
{ "Syl", "", "la|li|lo|da|di|do|fa|ta|ti|ra|ri|ro|ma|mi|bo|bim|bam|dum|hey|ho|tum|tra|fol|rum|dee|pom|ba|bi|na|no|pim|lum|fi|zum|ding|dong|tip|top" }
