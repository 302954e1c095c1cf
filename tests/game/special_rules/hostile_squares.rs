//! Captures: one test for each row of the tables of hostile squares and of the king's capture,
//! for both sides and every family of rulesets.
//!
//! `*` is the throne, `*s` the square south of it.

use super::men::{ALL, CAMPS, CORNERS, plays};

/// The corner rulesets in which the throne with the king on it is hostile to his soldiers.
fn winther() -> impl Iterator<Item = &'static str> {
    CORNERS.into_iter().filter(|&name| name != "brandubh-online")
}

#[test]
fn an_enemy_piece_is_hostile() {
    for name in ALL {
        plays(name, "Kb6 tc1 Td3 te3", "c1-c3xd3");
        plays(name, "Kb6 Tc2 td3 Te3", "c2-c3xd3");
        plays(name, "Kb6 tc1 Td3", "c1-c3");
        plays(name, "Kb6 Tc2 td3 te3", "c2-c3");
    }
}

#[test]
fn the_king_captures_as_mover_and_as_anvil() {
    for name in ALL {
        plays(name, "Kc2 td3 Te3", "Kc2-c3xd3");
        plays(name, "Kc3 td3 Te4", "e4-e3xd3");
    }
}

#[test]
fn the_empty_throne_is_hostile_to_both() {
    for name in ALL {
        plays(name, "K*nww t*sswww T*s", "*sswww-*ssx*s");
        plays(name, "K*nww T*ssww t*s", "*ssww-*ssx*s");
        plays(name, "K*nww t*een T*e", "*een-*eex*e");
        plays(name, "K*een t*e", "K*een-*eex*e");
    }
}

#[test]
fn the_throne_with_the_king_is_hostile_to_his_soldiers_in_most() {
    for name in winther().chain(CAMPS) {
        plays(name, "K* t*sswww T*s", "*sswww-*ssx*s");
    }
    for name in ["berkeley", "brandubh-online"] {
        plays(name, "K* t*sswww T*s", "*sswww-*ss");
    }
}

#[test]
fn in_berkeley_only_a_besieged_throne_is_hostile_to_his_soldiers() {
    plays("berkeley", "Ke5 td5 tf5 te6 Te4 tb3", "b3-e3xe4");
    plays("berkeley", "Ke5 td5 tf5 Te4 tb3", "b3-e3");
    plays("berkeley", "Ke5 tf5 te6 Te4 tb3", "b3-e3");
    plays("berkeley", "Ke5 td5 tf5 Te6 Te4 tb3", "b3-e3");
    plays("berkeley", "Ke5 te4 tf5 te6 Td5 tc2", "c2-c5xd5");
    // The last of the three may be the one that arrives, but then it is not next to the victim;
    // a siege alone captures nothing.
    plays("berkeley", "Ke5 td5 tf5 te8 Te4 te3", "e8-e6");
    plays("brandubh-online", "Kd4 tc4 te4 td5 Td3 ta2", "a2-d2");
}

#[test]
fn the_throne_with_the_king_is_hostile_to_attackers() {
    for name in ALL {
        plays(name, "K* T*ssww t*s", "*ssww-*ssx*s");
        plays(name, "K* T*wwn t*w t*e", "*wwn-*wwx*w");
    }
}

#[test]
fn corners_are_hostile_where_only_the_king_may_stop() {
    for name in CORNERS {
        plays(name, "Kf6 tc5 Tb1", "c5-c1xb1");
        plays(name, "Kf6 Tc5 tb1", "c5-c1xb1");
        plays(name, "Kf6 tc3 Ta2", "c3-a3xa2");
    }
    for name in ["ashton", "ashton-server", "berkeley"] {
        plays(name, "Kf6 tc5 Tb1", "c5-c1");
        plays(name, "Kf6 Tc5 tb1", "c5-c1");
        plays(name, "Kf6 tc5 ta1 Tb1", "c5-c1xb1");
        plays(name, "Kf6 Tc5 tb1 ta1", "c5-c1");
    }
}

#[test]
fn camp_cells_are_hostile_to_both_empty_or_not() {
    for name in CAMPS {
        plays(name, "Kg3 td8 Tc5", "d8-d5xc5");
        plays(name, "Kg3 td8 Tc5 tb5", "d8-d5xc5");
        plays(name, "Kg3 Td8 tc5", "d8-d5xc5");
        plays(name, "Kg3 Td8 tc5 tb5", "d8-d5xc5");
        plays(name, "Kc7 tg2 Ti3", "g2-i2xi3");
        plays(name, "Kc7 Tg2 ti3", "g2-i2xi3");
    }
    for name in ["mcgill", "tablut", "berkeley"] {
        plays(name, "Kg3 td8 Tc5", "d8-d5");
        plays(name, "Kg3 Td8 tc5 tb5", "d8-d5");
    }
}

#[test]
fn attackers_in_camps_are_not_captured() {
    plays("ashton", "Kg3 tb5 Tb6 Tc4", "c4-b4");
    plays("ashton", "Kd2 te2 Tf6", "f6-f2");
    plays("ashton", "Kc3 th5 Th6 Tg4", "g4-h4");
    plays("ashton", "Kf7 te8 Td8", "Kf7-f8");
    // Nor between an enemy and another square of the camp, on the server, either.
    for name in CAMPS {
        plays(name, "Kg3 tb5 Tc2", "c2-c5");
        plays(name, "Kg3 tb5 ta5 Tc2", "c2-c5");
        plays(name, "Kg3 ta4 Ta2", "a2-a3");
        plays(name, "Kg3 ti6 ti5 Ti8", "i8-i7");
    }
}

#[test]
fn on_the_server_the_inner_camp_cells_do_not_protect() {
    plays("ashton-server", "Kg3 tb5 Tb6 Tc4", "c4-b4xb5");
    plays("ashton-server", "Kd2 te2 Tf6", "f6-f2xe2");
    plays("ashton-server", "Kf3 te2 Td2", "Kf3-f2xe2");
    plays("ashton-server", "Kc3 th5 Th6 Tg4", "g4-h4xh5");
    plays("ashton-server", "Kc3 te8 Tf8 Td6", "d6-d8xe8");
}

#[test]
fn the_edge_is_never_hostile() {
    for name in ALL {
        plays(name, "Kc6 tb2 Tc1", "b2-c2");
        plays(name, "Kc6 Tb2 tc1", "b2-c2");
        plays(name, "Kc6 Td3 ta3", "d3-b3");
    }
    for name in CORNERS {
        plays(name, "Ka3 tc6", "c6-c3");
        plays(name, "Ka3 tc3", "c3-b3");
        plays(name, "Kc1 tb1 te2", "e2-c2");
    }
}

#[test]
fn the_king_on_his_throne_needs_four() {
    for name in ALL {
        plays(name, "K* t*w t*e t*n t*ssww", "*ssww-*ss");
        plays(name, "K* t*w t*e t*n t*swww", "*swww-*s++");
        plays(name, "K* t*w t*e t*swww", "*swww-*s");
        plays(name, "K* t*w t*e T*n t*swww", "*swww-*s");
        plays(name, "K* t*n t*sww", "*sww-*s");
    }
}

#[test]
fn the_king_next_to_his_throne_needs_three() {
    for name in ALL.into_iter().filter(|&name| name != "brandubh-online") {
        plays(name, "K*s t*se t*ss t*sww", "*sww-*sw++");
        plays(name, "K*s t*se t*sw t*ssww", "*ssww-*ss++");
        plays(name, "K*s t*se t*sww", "*sww-*sw");
        plays(name, "K*s t*ssww", "*ssww-*ss");
        plays(name, "K*s t*se T*ss t*sww", "*sww-*sw");
        // An attacker that is not next to him captures nothing.
        plays(name, "K*s t*se t*ss t*sw t*nww", "*nww-*nw");
    }
}

#[test]
fn online_the_king_next_to_his_throne_needs_two_in_line() {
    plays("brandubh-online", "Kd3 te3 tb3", "b3-c3++");
    plays("brandubh-online", "Kd3 tb2", "b2-d2");
    plays("brandubh-online", "Kd3 te3 tc3 tb2", "b2-d2");
}

#[test]
fn the_king_elsewhere_needs_two_in_line() {
    for name in ALL {
        plays(name, "Kc3 tb3 td2", "d2-d3++");
        plays(name, "Kc3 tc2 tc6", "c6-c4++");
        plays(name, "Kc3 tb3 tc6", "c6-c4");
        plays(name, "Kc3 Tb3 td2", "d2-d3");
        plays(name, "Kc3 td2", "d2-d3");
    }
}

#[test]
fn corners_help_against_the_king() {
    for name in CORNERS {
        plays(name, "Kb1 tc5", "c5-c1++");
        plays(name, "Ka2 tc3", "c3-a3++");
    }
}

#[test]
fn camp_cells_help_against_the_king() {
    for name in CAMPS {
        plays(name, "Kc5 td8", "d8-d5++");
        plays(name, "Kc5 tb5 td8", "d8-d5++");
        plays(name, "Ke3 tc4", "c4-e4++");
    }
    plays("mcgill", "Kc5 td8", "d8-d5");
    plays("berkeley", "Kc5 td8", "d8-d5");
}
